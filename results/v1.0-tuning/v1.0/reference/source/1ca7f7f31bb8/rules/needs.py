"""What rules need of a problem: a number that is left out must not switch off the rule that holds runs against it."""

import re
from collections.abc import Iterator, Set
from typing import Any

DIGEST = re.compile("[0-9a-f]{64}")
EVERY = {  # rule -> numbers of every problem
    "DATA04": ("problem_digest",),
    "DATA07": ("bytes.train", "bytes.validation"),
    "MOD01": ("parameter_count",),
    "SYS07": ("flops_per_sample",),
}
GENERATED = {"DATA01": ("fingerprints.train", "fingerprints.validation")}  # of those whose data the rules publish
CLASSES = {"DATA03": ("class_counts.train", "class_counts.validation")}  # ... and has classes
MEAN = {"EVL13": ("outputs",)}  # of those whose score is a mean of sums


def have_classes(problems: dict[str, Any], scores: dict[str, str | None]) -> set[str]:
    """The benchmarks whose data has classes: those scored by Dice, and those of a problem that publishes counts.

    `problems` are those of limits.yaml; `scores` say how a benchmark's scores follow from what is logged.
    """
    counted = {p.get("benchmark") for p in problems.values() if isinstance(p, dict) and p.get("class_counts")}
    return {name for name, score in scores.items() if score == "dice" or name in counted}


def refuse_gaps(values: dict[str, Any], codes: Set[str], mean: bool, classes: bool, where: str) -> None:
    """Raises ValueError, opened by `where`, if a problem lacks a number that a rule among `codes` needs.

    `values` is the problem as limits.yaml has it; its benchmark's score is a `mean` of sums, its data has `classes`. A
    problem whose data a site has from elsewhere says `site_data: true`: its fingerprints and counts aren't published.
    """
    gaps = list(_gaps(values, codes, mean, classes))
    if gaps:
        names = ", ".join(f"{name} ({code})" for name, code in gaps)
        raise ValueError(f"{where}: found no {names}, wanted the numbers that these rules hold runs against")


def _gaps(values: dict[str, Any], codes: Set[str], mean: bool, classes: bool) -> Iterator[tuple[str, str]]:
    """(number, rule) of what is missing, or is nothing that a run could be held against."""
    needs = EVERY | (MEAN if mean else {})
    if not values.get("site_data"):
        needs |= GENERATED | (CLASSES if classes else {})
    for code, names in needs.items():
        for name in names if code in codes else ():
            if not _is_one(name, _at(values, name)):
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
