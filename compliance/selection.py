"""Which edition of the rules judges what: the one asked for, or what the folders and the log say."""

import datetime
import re
from collections.abc import Iterable
from pathlib import Path

from benchmark.log import Event, read_log
from compliance.discover import LogFile, Set, Submission
from rules.edition import DEFAULT, Edition, editions, load

VERSION = re.compile(r"v(\d+\.\d+)(?!\d)")
HEAD = 400  # events of a log that are looked at for what it says of itself


def select_edition(target: Submission | Set | LogFile, name: str | None, root: Path) -> Edition:
    """The edition for a submission, a set or a log; `name` overrules. Benchmarks decide between editions of the
    same version, then the nearest folder above with an edition's version in its name, then the year of the logs: rounds
    that were once a year name no edition in their logs."""
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
    year = _year(_logs(target))
    return next((e for e in fitting if year and e.limits.year == year), fitting[-1])


def _said(target: Submission | Set | LogFile) -> tuple[str | None, set[str]]:
    """(the edition that the first logs name, the benchmarks that folders and first logs name)"""
    if isinstance(target, LogFile):
        folders = set()
    elif isinstance(target, Set):
        folders = {target.benchmark}
    else:
        folders = {s.benchmark for s in target.sets} | set(target.names("benchmarks"))
    edition, benchmarks = None, set(folders)
    for log in _logs(target):
        for key, value in _head(log.file).items():
            if key == "rules_edition":
                edition = edition or value
            else:
                benchmarks.add(value)
    return edition, benchmarks


def _logs(target: Submission | Set | LogFile) -> list[LogFile]:
    """The logs that speak for it."""
    if isinstance(target, LogFile):
        return [target]
    if isinstance(target, Set):
        return list(target.logs[:1])
    return [s.logs[0] for s in target.sets[:3] if s.logs]


def _year(logs: Iterable[LogFile]) -> int | None:
    """The year that the first event of the first log with any is of."""
    for log in logs:
        try:
            first = next((item for item in read_log(log.file) if type(item) is Event), None)
            if first is not None:
                return datetime.datetime.fromtimestamp(first.time_ms / 1000, datetime.UTC).year
        except (OSError, OverflowError, ValueError):
            continue
    return None


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
