"""The sets of a verdict by name, and the rows of a set."""

import os

from compliance.verdict import SetVerdict, Verdict
from results.runs.columns import Row
from results.runs.row import row, scaling


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


def rows_of(runs: SetVerdict) -> list[Row]:
    """The row of each log of a set, pruned ones last."""
    return [row(runs, log) for log in sorted(runs.logs, key=lambda log: log.run.pruned)]
