"""Which edition of the rules judges what: the one asked for, or what the folders and the log say."""

import re
from pathlib import Path

from benchmark.log import Event, read_log
from compliance.discover import LogFile, Set, Submission
from rules.edition import DEFAULT, Edition, editions, load

VERSION = re.compile(r"v(\d+\.\d+)(?!\d)")
HEAD = 400  # events of a log that are looked at for what it says of itself


def select_edition(target: Submission | Set | LogFile, name: str | None, root: Path) -> Edition:
    """The edition for a submission, a set or a log; `name` overrules. Benchmarks decide between editions of the
    same version, then the nearest folder above with an edition's version in its name."""
    if name:
        return load(name, root)
    known = [load(n, root) for n in editions(root)]
    told, benchmarks = _said(target)
    named = [e for e in known if e.name == told]
    if named:
        return named[0]
    fitting = [e for e in known if benchmarks & set(e.benchmarks)] or [e for e in known if e.name == DEFAULT] or known
    path = target.file if isinstance(target, LogFile) else target.path
    for part in reversed(path.absolute().parts):
        for edition in fitting:
            version = VERSION.search(part)
            if part == edition.name or (version and edition.name.endswith(f"v{version[1]}")):
                return edition
    return fitting[-1]


def _said(target: Submission | Set | LogFile) -> tuple[str | None, set[str]]:
    """(the edition that the first logs name, the benchmarks that folders and first logs name)"""
    if isinstance(target, LogFile):
        logs, folders = [target], set()
    elif isinstance(target, Set):
        logs, folders = list(target.logs[:1]), {target.benchmark}
    else:
        logs = [s.logs[0] for s in target.sets[:3] if s.logs]
        folders = {s.benchmark for s in target.sets} | set(target.names("benchmarks"))
    edition, benchmarks = None, set(folders)
    for log in logs:
        for key, value in _head(log.file).items():
            if key == "rules_edition":
                edition = edition or value
            else:
                benchmarks.add(value)
    return edition, benchmarks


def _head(path: Path) -> dict[str, str]:
    said: dict[str, str] = {}
    try:
        for count, item in enumerate(read_log(path)):
            if (
                type(item) is Event
                and item.key in ("rules_edition", "submission_benchmark")
                and type(item.value) is str
            ):
                said.setdefault(item.key, item.value)
            if count > HEAD or "rules_edition" in said:
                break
    except OSError:
        pass
    return said
