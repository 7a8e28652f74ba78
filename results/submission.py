"""Where the sets of runs are: the submission tree of MLPerf HPC, of every round and of ours.

<edition>/<org>/results/<system>/<strong|weak>/<benchmark>/result_<i>.txt
<edition>/<org>/results/<system>/<benchmark>/result_<i>.txt                 (v0.7: all strong)
.../weak/<benchmark>/pruned_results/result_<i>.txt                          (models that were given up)
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.tree import SCALINGS, system_path

RESULT = re.compile(r"result_(\d+)\.txt")
PRUNED = "pruned_results"
LARGEST_DESCRIPTION = 1 << 20  # bytes; a system description is a page


@dataclass(frozen=True, order=True)
class SetId:
    """Names a set of runs. `org`, `system` and `edition` are "" where the path doesn't say."""

    edition: str
    org: str
    system: str
    scaling: str
    benchmark: str

    def __str__(self) -> str:
        return "/".join(part for part in (self.edition, self.org, self.system, self.scaling, self.benchmark) if part)


@dataclass(frozen=True)
class RunSet:
    """The logs of one set, in order of their number; `submission` is the organisation's folder, if there is one.

    `name` tells it from all others found with it.
    """

    name: str
    id: SetId
    folder: Path
    submission: Path | None
    logs: tuple[Path, ...]
    pruned: tuple[Path, ...] = ()


def find_sets(paths: Iterable[Path]) -> list[RunSet]:
    """The sets of runs at or below `paths`: logs, sets, submissions, rounds. In order of their names, each once.

    Raises ValueError for a path that doesn't exist. Symbolic links are not followed.
    """
    folders: dict[Path, set[Path]] = {}
    for path in paths:
        if not Path(path).exists():
            raise ValueError(f"{path}: not found")
        for log in find_logs(Path(os.path.abspath(path))):
            folders.setdefault(log.parent, set()).add(log)
    sets = []
    for folder, logs in folders.items():
        if folder.name == PRUNED and folder.parent in folders:
            continue
        pruned = folders.get(folder / PRUNED, set())
        sets.append(place(folder, by_number(logs), by_number(pruned)))
    return distinct(sorted(sets, key=lambda s: (s.id, s.folder)))


def distinct(sets: list[RunSet]) -> list[RunSet]:
    """Sets of equal names, from rounds of equal names, are told apart by a number."""
    seen: dict[str, int] = {}
    named = []
    for s in sets:
        count = seen[s.name] = seen.get(s.name, 0) + 1
        named.append(s if count == 1 else replace(s, name=f"{s.name} ({count})"))
    return named


def find_logs(path: Path) -> Iterator[Path]:
    """The logs at or below a path. A file given by name is a log, whatever its name."""
    if path.is_file():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in files:
            log = Path(folder, name)
            if RESULT.fullmatch(name) and log.is_file() and not log.is_symlink():
                yield log


def by_number(logs: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(sorted(logs, key=lambda p: (run_number(p) if run_number(p) is not None else 1 << 62, p.name)))


def run_number(log: Path) -> int | None:
    """The i of result_<i>.txt."""
    match = RESULT.fullmatch(log.name)
    return int(match[1][:18]) if match else None


def place(folder: Path, logs: tuple[Path, ...], pruned: tuple[Path, ...]) -> RunSet:
    """The set in a folder, named by the folders above it."""
    benchmark, above = folder.name, folder.parent
    scaling = "strong"
    if above.name in SCALINGS:
        scaling, above = above.name, above.parent
    system, results = above.name, above.parent
    if results.name != "results":
        id = SetId("", "", "", scaling, benchmark)
        return RunSet(str(id), id, folder, None, logs, pruned)
    submission = results.parent
    id = SetId(submission.parent.name, submission.name, system, scaling, benchmark)
    return RunSet(str(id), id, folder, submission, logs, pruned)


def read_system(runs: RunSet) -> dict[str, Any]:
    """The system description as it stands, {} where there is none that can be read."""
    if runs.submission is None:
        return {}
    path = system_path(runs.submission, runs.id.system)
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_DESCRIPTION:
            return {}
        description = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return description if isinstance(description, dict) else {}
