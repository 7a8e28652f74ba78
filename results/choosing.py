"""Choosing the sets of runs that `compare.py` compares, from the paths that a user gives."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from compliance.finding import counted
from compliance.verdict import SetVerdict, Verdict
from results.runs.table import named_sets
from results.statistics.result import Result, as_logged_place, results_of

MOST = 26  # sets in a comparison: each is named by a letter
MOST_NAMED = 20  # sets of one kind that an error message lists


def comparisons(paths: Sequence[Path], verdict: Verdict, as_logged: bool = False) -> list[list[Result]]:
    """The groups of results to compare, in the order of the paths.

    Two or more paths that hold one set each make one group. Otherwise the sets of each benchmark, problem and scaling
    make a group. Raises ValueError if a path holds no set, if no two sets can be compared, or if a group has more than
    MOST sets. A set without a score says where it would stand.
    """
    sets = named_sets(verdict)
    held = [results_below(path, sets, as_logged) for path in paths]
    for path, found in zip(paths, held, strict=True):
        if not found:
            raise ValueError(f"{path}: found 0 sets of runs, wanted 1 or more")
    if len(paths) > 1 and all(len(found) == 1 for found in held):
        groups = [one_kind([found[0] for found in held])]
    else:
        groups = by_problem(held)
    for group in groups:
        if len(group) > MOST:
            raise ValueError(f"found {len(group)} sets of {' '.join(kind(group[0]))}, wanted at most {MOST}")
    return [[placed(r, group) for r in group] for group in groups]


def placed(r: Result, group: Sequence[Result]) -> Result:
    """The result with the place among its own edition and division that it would have if it had a score."""
    return replace(r, would_stand=as_logged_place(r, [o for o in group if o.ranked and o.group == r.group]))


def results_below(path: Path, sets: Sequence[tuple[str, SetVerdict]], as_logged: bool) -> list[Result]:
    """The results of the sets at or below a path, without campaigns of tuning."""
    home = path.resolve()
    below = [(name, s) for name, s in sets if s.folder.resolve().is_relative_to(home) and not s.campaign]
    return [r for name, s in below for r in results_of(name, s, as_logged)]


def one_kind(results: list[Result]) -> list[Result]:
    """The results, unchanged. Raises ValueError if they differ in benchmark or scaling."""
    for what, at in (("benchmark", 1), ("scaling", 3)):
        found = sorted({r.group[at] for r in results})
        if len(found) > 1:
            raise ValueError(f"found sets of {' and '.join(found)}, wanted one {what}")
    return results


def by_problem(held: Sequence[Sequence[Result]]) -> list[list[Result]]:
    """The groups of two or more results of one benchmark, problem and scaling, each result once, however many paths
    hold it. Raises ValueError if there is none."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for r in {(r.name, r.group): r for found in held for r in found}.values():
        groups.setdefault(kind(r), []).append(r)
    if found := [group for _, group in sorted(groups.items()) if len(group) > 1]:
        return found
    sets = (f"{r.judged.path} ({' '.join(kind(r))})" for group in groups.values() for r in group[:MOST_NAMED])
    wanted = "wanted at least 2 of one benchmark, problem and scaling"
    raise ValueError(": ".join(filter(None, [f"found {counted(len(groups), 'set')}, {wanted}", ", ".join(sets)])))


def kind(r: Result) -> tuple[str, ...]:
    """Benchmark, problem and scaling."""
    return r.group[1:4]
