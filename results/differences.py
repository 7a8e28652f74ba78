"""Comparing two or more sets of runs: their measures, how they differ, and the course of their runs."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from compliance.reading.run import Run
from results.comparable import obstacle
from results.measures.registry import MEASURES
from results.statistics.contrast import Contrast, contrast
from results.statistics.energy import against as energies
from results.statistics.result import Result, seconds_between
from results.tables.formatting import cut
from results.tables.record import shown

CONTACT = "_poc_"  # part of the keys of contacts
VARYING = {"seed", "hyperparameters", "cache_clear", "instance_id"}  # vary between runs, or are compared by field
ABSENT = "-"
MOST_VALUES = 5
LONGEST = 1000  # characters of a value
MOST_RUNS = 40
NO_CONTRAST = Contrast(None, None, None, math.nan)


@dataclass(frozen=True)
class Side:
    """One of the sets compared: its letter and result."""

    letter: str
    result: Result

    @property
    def runs(self) -> tuple[Run, ...]:
        """The first MOST_RUNS of its runs."""
        return self.result.runs[:MOST_RUNS]


@dataclass(frozen=True)
class Pair:
    """The first set compared with a later one.

    `why` says why the two have no ratio, "" if they may have one. The intervals of the `together` pairs that have a
    ratio hold all at once. `energy` is the ratio of energies, None if one is unknown or the two were measured in
    different ways.
    """

    letter: str
    contrast: Contrast
    why: str = ""
    together: int = 1
    energy: Contrast | None = None

    @property
    def a_is_slower(self) -> bool:
        """Whether ratios are told of A over the later set: they are of the slower set over the faster one."""
        return self.contrast.ratio is not None and self.contrast.ratio > 1

    @property
    def slower(self) -> Contrast:
        """The slower set compared with the faster one: the ratio is 1 or more."""
        c = self.contrast
        if self.a_is_slower or c.ratio is None or c.low is None or c.high is None:
            return c
        return Contrast(1 / c.ratio, 1 / c.high, 1 / c.low, 1 - c.faster, c.degrees)

    @property
    def letters(self) -> tuple[str, str]:
        """The letters of the slower set and of the faster one."""
        return ("A", self.letter) if self.a_is_slower else (self.letter, "A")

    @property
    def name(self) -> str:
        """The slower set over the faster one: "A / B"."""
        return " / ".join(self.letters)


def sides(results: Sequence[Result]) -> list[Side]:
    """One side for each result, in their order."""
    return [Side(chr(ord("A") + i), r) for i, r in enumerate(results)]


def pairs(compared: Sequence[Side]) -> list[Pair]:
    """The first set compared with each later one, in their order."""
    first, others = compared[0], compared[1:]
    why = [unscored(first, s) or obstacle(first.result, s.result) for s in others]
    timed = 0 if first.result.weak else why.count("")
    return [pair(first.result, s, reason, timed) for s, reason in zip(others, why, strict=True)]


def unscored(*both: Side) -> str:
    """Which of two sets have no score: such a set appears in no ratio. "" if both have one."""
    letters = [s.letter for s in both if s.result.why]
    return f"{' and '.join(letters)} {'have' if len(letters) > 1 else 'has'} no score" if letters else ""


def pair(a: Result, other: Side, why: str, together: int) -> Pair:
    """Two sets, one of `together` pairs with ratios of times that are shown side by side."""
    b = other.result
    if why or a.weak:
        return Pair(other.letter, NO_CONTRAST, why)
    times = contrast(a.seconds, b.seconds, (seconds_between(a.rows), seconds_between(b.rows)), together)
    return Pair(other.letter, times, "", together, energies(a.energy, b.energy, together))


def settings(runs: Sequence[Run]) -> dict[str, str]:
    """The settings that a set's runs logged, hyperparameters by field. Values that differ inside the set are joined
    in one text."""
    found = defaultdict[str, dict[str, None]](dict)  # values in their order, each once
    for run in runs:
        facts = {k: f.value for k, f in run.facts.items() if k not in VARYING}
        inner = run.value("hyperparameters")
        facts |= {f"hyperparameters.{k}": v for k, v in inner.items()} if isinstance(inner, dict) else {}
        for key, value in facts.items():
            if not has_contact(key):
                found[key[:100]][plain(value)] = None
    return joined(found)


def has_contact(text: str) -> bool:
    """Whether a text has the key of a contact, in any case: no page shows it."""
    return CONTACT in text.lower()


def joined(found: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Values that differ inside a set, the first MOST_VALUES of them, in one text."""
    told = {}
    for key, values in found.items():
        first, *others = islice(values, MOST_VALUES)
        told[key] = f"{first}, in other runs {' or '.join(others)}" if others else first
    return told


def different(tables: Sequence[Mapping[str, str]]) -> list[tuple[str, list[str]]]:
    """(key, its value in each table, ABSENT if it has none) for each key in which tables differ."""
    keys = dict.fromkeys(k for t in tables for k in t)
    rows = [(key, [t.get(key, ABSENT) for t in tables]) for key in keys]
    return [(key, values) for key, values in rows if len(set(map(meaning, values))) > 1]


def meaning(value: str) -> str:
    """What a value means, whatever its case, its blanks, and the way a number is written: `SGD` is `sgd`, 2.0 is 2."""
    try:
        number = float(value)
    except ValueError:
        return " ".join(value.casefold().split())
    return f"{number:.15g}" if math.isfinite(number) else value.casefold()


def plain(value: Any) -> str:
    """A value on one line, at most LONGEST characters: text as it is, all else as JSON, keys in alphabetical order."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
    return cut(text, LONGEST)


COMPARED = (  # measures of the registry, in the order of the comparison
    *("division", "edition", "verdict", "accelerator", "processor", "software", "runs", "converged", "fom_seconds"),
    *("as_logged_seconds", "fom_low", "fom_high", "fom_degrees", "median_seconds", "models_per_hour"),
    *("models_per_hour_per_unit", "total_scale", "instance_scale", "models", "ttta_seconds"),
    *("expected_seconds", "expected_low", "expected_high", "expected_speed_error", "expected_points_error"),
    *("expected_why", "nodes", "units"),
    *("batch", "epochs", "passes", "first_epoch_seconds", "later_epoch_seconds"),
    *("staging_seconds", "staged_before_seconds", "training_seconds", "evaluation_seconds", "rest_seconds"),
    *("train_samples_per_second", "train_samples_per_second_per_unit", "eval_samples_per_second"),
    *("au", "au_first", "au_later", "au_barrier", "unit_hours"),
    *("joules", "joules_low", "joules_high", "watts", "joules_per_sample_trained", "joules_per_sample_evaluated"),
    "energy_tier",
)


def measures(compared: Sequence[Side]) -> list[tuple[str, list[str]]]:
    """(measure, its value in each set), without measures that no set has."""
    known = {name: [shown(MEASURES[name], s.result) for s in compared] for name in COMPARED}
    if known["passes"] == known["epochs"]:
        del known["passes"]
    if all(s.result.weak for s in compared):  # a model's, which would be read as the system's
        del known["nodes"], known["units"]
    return [(MEASURES[name].title, values) for name, values in known.items() if set(values) != {ABSENT}]
