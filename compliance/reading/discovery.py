"""Find what there is to judge under a path: logs, sets of runs, submissions."""

import os
import stat
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from compliance.reading.power import FOLDER as POWER
from compliance.reading.power import instruments_of
from compliance.reading.tree import (
    DEEPEST,
    LOG,
    PRUNED,
    RESULTS,
    WEAK,
    LogFile,
    Set,
    Submission,
    log_file,
    read_set,
    read_submission,
    scan,
)

MOST_FOLDERS = 10_000  # of one level, examined to decide whether a folder is a submission
MOST_SEARCHED = 200_000  # folders that are searched for submissions
NOTHING = "no submission, no set of runs and no log: logs are called result_<i>.txt"
Item = TypeVar("Item", Submission, Set, LogFile)
LARGEST = 4 << 30  # bytes of all files of a submission: 300 times the largest of MLPerf HPC's rounds


@dataclass
class Found:
    """All that was found under the given paths, each once. `missed` holds (path, why) of what could not be read."""

    submissions: list[Submission] = field(default_factory=list)
    sets: list[Set] = field(default_factory=list)
    logs: list[LogFile] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    searched: int = 0  # folders so far


def discover(paths: list[str]) -> Found:
    """Return what the paths hold. A path that can't be read, or holds nothing to judge, is in `missed`."""
    found = Found()
    for given in paths:
        path = Path(given)
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            found.missed.append((given, getattr(error, "strerror", None) or str(error)))
            continue
        if stat.S_ISREG(mode):
            found.logs.append(log_file(path, given))
        elif stat.S_ISDIR(mode):
            before = len(found.submissions) + len(found.sets)
            _search(path, given.rstrip("/") or "/", path, found, DEEPEST)
            if len(found.submissions) + len(found.sets) == before:
                found.missed.append((given, NOTHING))
        else:
            found.missed.append((given, "neither a file nor a folder"))
    _once(found)
    _leave_out_the_large(found)
    return found


def _leave_out_the_large(found: Found) -> None:
    """Move whatever has more than LARGEST bytes to `missed`, before any file is read."""

    def fits(name: str, sizes: dict[str, int]) -> bool:
        total = sum(sizes.values())
        if total > LARGEST:
            largest = max(sizes, key=lambda path: sizes[path])
            why = f"found {total} bytes in its files, {sizes[largest]} of them in {largest}, wanted at most {LARGEST}"
            found.missed.append((name, f"{why}: nothing of it was looked at"))
        return total <= LARGEST

    found.submissions = [s for s in found.submissions if fits(s.name, {"/".join(e.parts): e.size for e in s.entries})]
    found.sets = [s for s in found.sets if fits(s.name, _sizes((*s.logs, *s.superseded)))]
    found.logs = [log for log in found.logs if fits(log.name, _sizes([log]))]


def _sizes(logs: Iterable[LogFile]) -> dict[str, int]:
    """Return the bytes of logs and of their instruments' logs, by path; 0 for what can't be read."""
    files = {log.name: log.file for log in logs}
    files |= {str(path): path for file in list(files.values()) for path in instruments_of(file)}
    return {name: _size(file) for name, file in files.items()}


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _once(found: Found) -> None:
    """Drop what was given twice: by another spelling of its path, or as part of something else that was given."""
    found.submissions = list(_by_place(found.submissions, lambda s: s.path).values())
    if not (found.sets or found.logs):
        return
    held = _by_place((s for submission in found.submissions for s in submission.sets), lambda s: s.path)
    sets = _by_place(found.sets, lambda s: s.path)
    found.sets = [s for path, s in sets.items() if path not in held]
    known = _by_place((log for s in (held | sets).values() for log in s.logs), lambda log: log.file)
    found.logs = [log for path, log in _by_place(found.logs, lambda log: log.file).items() if path not in known]


def _by_place(items: Iterable[Item], path_of: Callable[[Item], Path]) -> dict[str, Item]:
    """Return the first item of each real path, by that path."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(os.path.realpath(path_of(item)), item)
    return found


def _search(
    path: Path, name: str, given: Path, found: Found, depth: int, held: AbstractSet[Path] = frozenset()
) -> None:
    """Add what lies at or below a folder to `found`. Folders of any name are entered: a skipped one would not be
    judged. The logs in the folders `held` belong to a set that was found."""
    found.searched += 1
    if found.searched > MOST_SEARCHED:
        if found.searched == MOST_SEARCHED + 1:
            found.missed.append((name, f"more than {MOST_SEARCHED} folders: this one and those after it are left"))
        return
    entries, error = scan(path)
    if error:
        found.missed.append((name, error))
    folders = [e.name for e in entries if e.is_dir(follow_symlinks=False)]
    if _is_submission(path, folders):
        found.submissions.append(read_submission(path, name, given))
        return
    if path not in held and any(LOG.match(e.name) and e.is_file(follow_symlinks=False) for e in entries):
        found.sets.append(runs := read_set(path, name, given))
        held |= {log.file.parent for log in runs.superseded}
        folders = [f for f in folders if f not in (POWER, PRUNED) or (f == PRUNED and runs.scaling != WEAK)]
        if path != given:
            found.missed.append((name, "logs in no submission, which have no score"))
    if not depth and folders:
        found.missed.append((name, f"folders more than {DEEPEST} deep"))
    for folder in sorted(folders) if depth else ():
        _search(path / folder, f"{name.rstrip('/')}/{folder}", given, found, depth - 1, held)


def _is_submission(path: Path, folders: list[str]) -> bool:
    """Return whether a folder is a submission: it has systems/ beside results or source, or systems/ with descriptions
    alone (a prepared one), or results/ with logs two or three levels below."""
    if "systems" in folders and ({RESULTS, "benchmarks", "source"} & set(folders) or _is_prepared(path)):
        return True
    if RESULTS not in folders or any(_describes(path / f) for f in folders):  # a folder of submissions is a round
        return False
    level = [path / RESULTS]
    for depth in (1, 2, 3):
        level = [p / e.name for p in level for e in scan(p)[0] if e.is_dir(follow_symlinks=False)][:MOST_FOLDERS]
        if any(_describes(p) for p in level):  # rounds below a folder named results
            return False
        if depth > 1 and any(LOG.match(e.name) for p in level for e in scan(p)[0]):
            return True
    return False


def _is_prepared(path: Path) -> bool:
    """Return whether there are system descriptions in systems/."""
    names = (e.name for e in scan(path / "systems")[0] if e.is_file(follow_symlinks=False))
    return not (path / "systems").is_symlink() and any(name.endswith(".json") for name in names)


def _describes(path: Path) -> bool:
    """Return whether a folder has systems/ and results/, as a submission does."""
    return (path / "systems").is_dir() and (path / RESULTS).is_dir()
