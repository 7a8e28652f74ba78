"""The numbers of a problem that rules need. Leaving one out is an error, and does not switch the rule off."""

import functools
import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from compliance.rule import CHECKS
from rules.edition import Edition, load

DIGEST = re.compile("[0-9a-f]{64}")


@functools.lru_cache(maxsize=64)
def complete(name: str, root: Path) -> Edition:
    """Load an edition. Raises ValueError if one of its problems lacks a number that a rule in force needs."""
    edition = load(name, root)
    problems = edition.limits.problems
    classes = have_classes(problems, {n: benchmark.score for n, benchmark in edition.benchmarks.items()})
    for n, problem in edition.problems.items():
        mean = edition.benchmarks[problem.benchmark].score == "mean"
        where = f"{edition.name}/limits.yaml: problems.{n}"
        refuse_gaps(problems[n], edition.codes, mean, problem.benchmark in classes, where)
    return edition


def have_classes(problems: dict[str, Any], scores: dict[str, str | None]) -> set[str]:
    """Return the benchmarks whose data has classes: those scored by Dice, and those of a problem that publishes counts.

    `problems` are those of limits.yaml; `scores` maps a benchmark to its kind of score.
    """
    counted = {p.get("benchmark") for p in problems.values() if isinstance(p, dict) and p.get("class_counts")}
    return {name for name, score in scores.items() if score == "dice" or name in counted}


def refuse_gaps(values: dict[str, Any], codes: Set[str], mean: bool, classes: bool, where: str) -> None:
    """Raise ValueError, which begins with `where`, if a problem lacks a number that a rule among `codes` needs.

    `values` is the problem in limits.yaml. `mean`: its score is a mean of sums. `classes`: its data has classes. A
    problem with `site_data: true` has data from elsewhere, without published fingerprints and counts.
    """
    gaps = list(_gaps(values, codes, mean, classes))
    if gaps:
        names = ", ".join(f"{name} ({code})" for name, code in gaps)
        raise ValueError(f"{where}: found no {names}, wanted the numbers that these rules hold runs against")


def _gaps(values: dict[str, Any], codes: Set[str], mean: bool, classes: bool) -> Iterator[tuple[str, str]]:
    """Yield (number, rule) of each number that is missing or malformed."""
    published = not values.get("site_data")
    applies = {"outputs": mean, "fingerprints": published, "class_counts": published and classes}
    for code in sorted(codes & CHECKS.keys()):
        for name in CHECKS[code].needs:
            if applies.get(name.partition(".")[0], True) and not _is_one(name, _at(values, name)):
                yield name, code


def _at(values: Any, name: str) -> Any:
    for part in name.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def _is_one(name: str, value: Any) -> bool:
    if name.startswith(("problem_digest", "fingerprints")):
        return type(value) is str and DIGEST.fullmatch(value) is not None
    counts = value if name.startswith("class_counts") else [value]
    return isinstance(counts, list | tuple) and bool(counts) and all(type(n) is int and n > 0 for n in counts)
