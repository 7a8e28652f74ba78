"""Sets of runs as results: from the frame of runs, and their verdicts, to one record a set."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from results.contrast import rank_ranges
from results.convergence import MOST_RUNS, Surprise, surprise
from results.score import Score, Spread, kept, score, spread
from results.throughput import Model, Throughput, throughput
from results.verdict import UNJUDGED, Verdict

REFERENCE = "reference"  # the organisation whose convergence others are held against, for information


@dataclass(frozen=True)
class Result:
    """One set of runs. `score.fom`, or `models`, is printed only where `why` is None; `why` says what is in the way.

    `runs` is the set's part of the frame, unpruned, in the order of their numbers; `mask` tells which of them the
    figure of merit averages; `rank` is the best and worst place in its group; `surprise` holds its epochs against the
    reference's.
    """

    name: str
    group: tuple[str, ...]
    org: str
    system: str
    category: str
    verdict: Verdict
    runs: pd.DataFrame
    pruned: int
    mask: np.ndarray
    score: Score
    spread: Spread | None
    models: Throughput | None
    why: str | None
    rank: tuple[int, int] | None = None
    surprise: Surprise | None = None
    as_logged: bool = False  # verdicts take no number away

    @property
    def fom(self) -> float | None:
        """Seconds; None where none is deserved."""
        return None if self.why or self.weak else self.score.fom

    @property
    def throughput(self) -> Throughput | None:
        """None where none is deserved."""
        return None if self.why else self.models

    @property
    def throughput_only(self) -> bool:
        """Whether its logs measure throughput alone: no figure of merit, no rank."""
        return bool(len(self.runs)) and bool(self.runs.throughput_only.all())

    @property
    def in_order(self) -> bool:
        """Whether it has its figure, or is not there for one and the judge does not object."""
        return self.why is None or (self.throughput_only and (self.as_logged or not self.verdict.errors))

    @property
    def weak(self) -> bool:
        return self.group[3] == "weak"

    def mean(self, column: str) -> float | None:
        """A column's mean over the runs that the figure of merit averages (over converged models, in a weak set)."""
        values = self.values(column)
        return float(values.mean()) if len(values) else None

    def deviation(self, column: str) -> float | None:
        """The sample standard deviation over the same runs; None below two."""
        values = self.values(column)
        return float(values.std(ddof=1)) if len(values) > 1 else None

    def values(self, column: str) -> np.ndarray:
        numbers = self.runs[column].to_numpy(dtype=float, na_value=math.nan)[self.mask]
        return numbers[np.isfinite(numbers)]

    def rows(self) -> list[Any]:
        """The runs as named tuples, None where a value is missing."""
        return list(self.runs.astype(object).where(self.runs.notna(), None).itertuples())

    def one(self, column: str) -> Any:
        """A value that all runs share, None where they differ or have none."""
        found = self.runs[column].dropna().unique()
        return found[0] if len(found) == 1 else None


def summarize(
    frame: pd.DataFrame, verdicts: Mapping[str, Verdict], required: Mapping[str, int | None], as_logged: bool = False
) -> list[Result]:
    """A Result for every set of the frame, best first inside its group, groups in alphabetical order.

    `verdicts` and `required`, the number of runs that the rules want, are keyed by the frame's `set` column. With
    `as_logged`, verdicts take no number away.
    """
    results = [
        result(str(name), part, verdict, required.get(str(name)), as_logged)
        for name, runs in frame.groupby("set", observed=True, sort=True)
        for part, verdict in parts(runs, verdicts.get(str(name), UNJUDGED))
    ]
    return list(ranked([against_reference(r, results) for r in results]))


def parts(runs: pd.DataFrame, verdict: Verdict) -> Iterator[tuple[pd.DataFrame, Verdict]]:
    """A set of runs is one thing; a folder of logs that measure throughput alone is one for each problem in it."""
    if not runs.throughput_only.all():
        yield runs, verdict
        return
    for _, part in runs.groupby("problem", observed=True, sort=True, dropna=False):
        yield part, verdict.without(set(runs.log) - set(part.log))


def against_reference(r: Result, results: list[Result]) -> Result:
    """With its convergence held against the reference of the same edition, benchmark, problem and batch size."""
    for other in results:
        if other.org == REFERENCE and other.group[:3] == r.group[:3] and other is not r and not other.verdict.errors:
            found = convergence(r, other)
            if found is not None:
                return replace(r, surprise=found)
    return r


def convergence(r: Result, reference: Result) -> Surprise | None:
    """How surprising a set's epochs are next to a reference of the same batch size; None where they can't be held
    against each other."""
    if r.one("batch") is None or r.one("batch") != reference.one("batch"):
        return None
    own, other = ([e for _, e in converged_epochs(x.runs)] for x in (r, reference))
    return surprise(own, other) if own and other and len(own) + len(other) <= MOST_RUNS else None


def result(name: str, runs: pd.DataFrame, verdict: Verdict, required: int | None, as_logged: bool) -> Result:
    """One set's Result, not yet ranked."""
    live = runs[~runs.pruned.to_numpy(dtype=bool)].reset_index(drop=True)
    first = runs.iloc[0]
    times = live.seconds.tolist()
    weak = first.scaling == "weak"
    found = score(times, None if weak else required, seconds_between(live))
    mask = live.converged.to_numpy(dtype=bool)
    if not weak:
        keep = np.zeros(len(times), dtype=bool)
        keep[kept(times)] = True
        mask = mask & keep
    models, why = weak_score(live) if weak else (None, found.why)
    unlike = mixed(live)
    if unlike:  # means over unlike runs would mean nothing
        mask = np.zeros(len(times), dtype=bool)
    return Result(
        name=name,
        group=(first.edition, first.benchmark, shared(live, "problem"), first.scaling, shared(live, "division")),
        org=first.org,
        system=first.system,
        category=shared(live, "category"),
        verdict=verdict,
        runs=live,
        pruned=len(runs) - len(live),
        mask=mask,
        score=found,
        spread=None if unlike else spread(*converged_columns(live)),
        models=models,
        why=unlike or (None if as_logged else verdict.objection) or why or None,
        as_logged=as_logged,
    )


def seconds_between(live: pd.DataFrame) -> float:
    """The time between evaluations at the end of a set's runs, their median; 0 where it isn't known."""
    known = live.step_ms.dropna()
    return float(known.median()) / 1000 if len(known) else 0.0


def weak_score(live: pd.DataFrame) -> tuple[Throughput | None, str]:
    spans = zip(live.start_ms, live.stop_ms, live.converged, strict=True)
    models = [Model(0, 0, False) if pd.isna(a) or pd.isna(b) else Model(a, b, bool(c)) for a, b, c in spans]
    total = live.system_units.max()
    instance = live.units.max()
    return throughput(models, *(None if pd.isna(v) else float(v) for v in (total, instance)))


def converged_epochs(live: pd.DataFrame) -> list[tuple[float, float]]:
    pairs = zip(live.seconds, live.epochs, strict=True)
    return [(t, e) for t, e in pairs if math.isfinite(t) and not pd.isna(e) and e > 0]


def converged_columns(live: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Seconds and epochs of the converged runs."""
    pairs = converged_epochs(live)
    return [t for t, _ in pairs], [e for _, e in pairs]


def shared(runs: pd.DataFrame, column: str) -> str:
    """A text that all runs share, "" if none has one, "mixed" where they differ."""
    found = sorted({str(v) for v in runs[column].dropna()})
    return "mixed" if len(found) > 1 else "".join(found)


MUST_AGREE = ("problem", "logged_division", "logged_benchmark", "logged_edition", "target")


def mixed(runs: pd.DataFrame) -> str | None:
    """Why runs cannot be one set, if they cannot."""
    for column in MUST_AGREE:
        found = sorted({str(v) for v in runs[column].dropna()})
        if len(found) > 1:
            return f"runs of {len(found)} {column.replace('logged_', '')}s in one set: {', '.join(found)[:200]}"
    if not len(runs):
        return "every run is among the pruned"
    if runs.throughput_only.any():
        if runs.throughput_only.all():
            return "throughput only: no run of training to a target"
        return "runs of training and logs of throughput alone in one set"
    return None


def ranked(results: list[Result]) -> Iterator[Result]:
    """By group, then best first; sets that have no number come last. Ranks are ranges: see rank_ranges."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for r in results:
        groups.setdefault(r.group, []).append(r)
    for group in sorted(groups):
        members = sorted(groups[group], key=merit)
        scored = [r for r in members if r.fom is not None]
        steps = [seconds_between(r.runs) for r in scored]
        ranges = iter(rank_ranges([r.runs.seconds.tolist() for r in scored], steps))
        for r in members:
            yield replace(r, rank=next(ranges) if r.fom is not None else None)


def merit(r: Result) -> tuple[float, str]:
    """Small is good."""
    if r.throughput is not None:
        return (-r.throughput.models_per_hour, r.name)
    return (math.inf if r.fom is None else r.fom, r.name)
