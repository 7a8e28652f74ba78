"""The table of runs, from which all results are computed: one row for each judged run.

    from results.runs.table import load
    runs = load(["results/"])  # a pandas DataFrame
    runs.groupby("set").seconds.describe()

`columns.COLUMNS` lists every column with its meaning. Parts of a run's time are whole milliseconds, so that
`total_ms` is exactly the sum of `staging_ms`, `training_ms`, `evaluation_ms` and `rest_ms`, as far as these are known.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from compliance.engine import judge
from compliance.verdict import SetVerdict, Verdict
from results.runs.columns import COLUMNS, REPEATED, TYPES, Row
from results.runs.row import row, scaling

if TYPE_CHECKING:
    import pandas as pd


def load(
    paths: Iterable[str | Path], edition: str | None = None, progress: Callable[[int, int], None] | None = None
) -> "pd.DataFrame":
    """A pandas DataFrame with the runs of the sets at or below `paths`, by set and number.

    `edition` overrules the folders' names; `progress(done, all)` is called after each log. Raises ValueError if a path
    cannot be read.
    """
    import pandas as pd  # takes longer to import than a small round to check

    verdict = judge([str(p) for p in paths], edition, progress=progress)
    for path, why in verdict.missed:
        raise ValueError(f"{path}: {why}")
    rows = [run for name, runs in named_sets(verdict) for run in rows_of(name, runs)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(TYPES).astype(dict.fromkeys(REPEATED, "category"))


def named_sets(verdict: Verdict) -> list[tuple[str, SetVerdict]]:
    """(name, set) of every set once, sorted by name. A repeated name, from rounds of equal names, gets a number."""
    found: dict[str, SetVerdict] = {}
    for runs in verdict.all_sets:  # sets of submissions come first: they hold more than a set given by itself
        found.setdefault(os.path.realpath(runs.folder), runs)
    names: dict[str, int] = {}
    named = []
    for runs in sorted(found.values(), key=lambda s: (set_name(s), str(s.folder))):
        name = set_name(runs)
        names[name] = names.get(name, 0) + 1
        named.append((name if names[name] == 1 else f"{name} ({names[name]})", runs))
    return named


def set_name(runs: SetVerdict) -> str:
    """round/org/system/scaling/benchmark; the path of a set that was given by itself."""
    if not runs.submission:
        return runs.path
    return "/".join(p for p in (runs.round, runs.org, runs.system, scaling(runs), runs.benchmark) if p)


def rows_of(name: str, runs: SetVerdict) -> list[Row]:
    """One row for each log of a set, pruned ones last."""
    return [row(name, runs, log) for log in sorted(runs.logs, key=lambda log: log.run.pruned)]
