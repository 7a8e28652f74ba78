"""Turning the checker's verdict into one Result for each set of runs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean, median
from typing import Any

from compliance.reading.run import Run
from compliance.verdict import SetVerdict, Verdict
from results.runs.columns import Row
from results.runs.row import round_of, scaling, text
from results.runs.table import named_sets, rows_of
from results.statistics.energy import SetEnergy, energy
from results.statistics.ranks import rank_ranges
from results.statistics.score import Score, Spread, deviation, harmonic, score, spread
from results.statistics.standing import Standing, standing
from results.statistics.throughput import Throughput, throughput
from rules.merit import kept

# Columns whose mean is that of the times: the harmonic one (Farrell et al. 2021, tables 5 and 6)
RATES = frozenset(
    ("epochs_per_minute", "sample_rate", "train_rate", "train_rate_per_unit", "eval_rate", "compute_rate")
)


@dataclass(frozen=True)
class Result:
    """The result of one set of runs. `why` says why it has no score, and is None if it has one.

    `group` is (edition, benchmark, problem, scaling, division). `rows` are the runs that were not pruned, in the order
    of their numbers; `mask` says which of them the figure of merit averages. `rank` is the best and the worst place in
    the group; `would_stand` is (place, of how many) that a set with errors would have as logged.
    `score` and `models` are there even if the set deserves no score: read `fom` and `throughput` instead.
    """

    name: str
    group: tuple[str, ...]
    category: str
    judged: SetVerdict
    standing: Standing
    rows: tuple[Row, ...]
    pruned: int
    mask: tuple[bool, ...]
    score: Score
    spread: Spread | None
    models: Throughput | None
    why: str | None
    as_logged: bool  # scored even if the checker found errors
    rank: tuple[int, int] | None = None
    would_stand: tuple[int, int] | None = None
    energy: SetEnergy | None = None

    @property
    def org(self) -> str:
        """The organisation's folder, "" if the set was given by itself."""
        return self.judged.org

    @property
    def system(self) -> str:
        """The system's folder, or the set's path if no folder names a system."""
        return self.judged.system or self.judged.path

    @property
    def label(self) -> str:
        """Organisation and system."""
        return f"{self.org}/{self.system}" if self.org else self.system

    @property
    def runs(self) -> tuple[Run, ...]:
        """What the logs of its rows say."""
        return tuple(row.run for row in self.rows)

    @property
    def seconds(self) -> list[float]:
        """The seconds of each run, infinity if it did not converge."""
        return [row.seconds for row in self.rows]

    @property
    def seeds(self) -> set[str]:
        """The seeds that its runs logged."""
        return {row.seed for row in self.rows if row.seed is not None}

    @property
    def fom(self) -> float | None:
        """The figure of merit in seconds; None if the set has no score, or is a throughput set."""
        return None if self.why or self.weak else self.score.fom

    @property
    def throughput(self) -> Throughput | None:
        """The throughput of a throughput set; None if it has no score."""
        return None if self.why else self.models

    @property
    def throughput_only(self) -> bool:
        """Whether all its logs measure throughput only: it then has no figure of merit and no rank."""
        return bool(self.rows) and all(row.run.throughput_only for row in self.rows)

    @property
    def in_order(self) -> bool:
        """Whether the set has a score, or measures throughput only and the checker found no error."""
        return self.why is None or (self.throughput_only and (self.as_logged or not self.standing.errors))

    @property
    def weak(self) -> bool:
        """Whether it is a throughput set: many models at once, `weak` in paths and logs."""
        return self.group[3] == "weak"

    @property
    def ranked(self) -> bool:
        """Whether the set may have a rank: it has a figure of merit, and was given with its submission."""
        return self.fom is not None and bool(self.judged.submission)

    @property
    def kept(self) -> frozenset[str]:
        """The paths of the runs that `mask` marks."""
        return frozenset(row.run.path for row, used in zip(self.rows, self.mask, strict=True) if used)

    def mean(self, column: str) -> float | None:
        """The mean of a column over the runs that `mask` marks, harmonic for a rate; None if no run has a value."""
        values = self.values(column)
        if column in RATES:
            return harmonic(values)[0]
        return fmean(values) if values else None

    def deviation(self, column: str) -> float | None:
        """The sample standard deviation of a column over the runs that `mask` marks, for a rate the gain from one
        deviation less time; None below two values."""
        values = self.values(column)
        if column in RATES:
            return harmonic(values)[1]
        return deviation(values) if len(values) > 1 else None

    def values(self, column: str) -> list[float]:
        """The finite numbers of a column over the runs that `mask` marks."""
        used = [row for row, counts in zip(self.rows, self.mask, strict=True) if counts]
        return [value for value in known(used, column) if math.isfinite(value)]

    def one(self, column: str) -> Any:
        """The value of a column that all runs share; None if they differ or have none."""
        found = {*known(self.rows, column)}
        return found.pop() if len(found) == 1 else None


def summarize(verdict: Verdict, as_logged: bool = False) -> list[Result]:
    """A Result for every set of a verdict, groups in alphabetical order, best first inside a group.

    Campaigns of tuning are left out: results/tuning/ scores them. With `as_logged`, sets with errors are scored, too.
    """
    sets = [(name, runs) for name, runs in named_sets(verdict) if not runs.campaign]
    found = one_spelling([r for name, runs in sets for r in results_of(name, runs, as_logged)])
    return list(ranked(found))


def one_spelling(results: Sequence[Result]) -> list[Result]:
    """The results, with one spelling of each organisation whatever its case: that of the latest edition."""
    spelled = {r.org.casefold(): r.org for r in sorted(results, key=lambda r: (r.group[0], r.name))}
    return [replace(r, judged=replace(r.judged, org=spelled[r.org.casefold()])) for r in results]


def results_of(name: str, runs: SetVerdict, as_logged: bool) -> Iterator[Result]:
    """The results of a folder: one for a set of runs, one for each problem if its logs measure throughput only."""
    rows = rows_of(runs)
    if not rows or not all(row.run.throughput_only for row in rows):
        yield result(name, runs, rows, as_logged)
        return
    for problem in sorted({row.problem or "" for row in rows}):
        yield result(name, runs, [row for row in rows if (row.problem or "") == problem], as_logged)


def result(name: str, runs: SetVerdict, everyone: Sequence[Row], as_logged: bool) -> Result:
    """The Result of one set, without rank."""
    rows = tuple(row for row in everyone if not row.run.pruned)
    stands = standing(runs, [row.log for row in everyone])
    not_judged = f"not judged by all the rules: {runs.unjudged}" if runs.unjudged else None
    weak = runs.scaling == "weak"
    times = [row.seconds for row in rows]
    found = score(times, None if weak else runs.required, seconds_between(rows))
    total, instance = (max(known(rows, column), default=None) for column in ("system_units", "units"))
    models, why = throughput(rows, total, instance) if weak else (None, found.why)
    unlike = mixed(rows)  # means over unlike runs would mean nothing
    if models and models.logged is not None:
        unknown: dict[str, Any] = dict.fromkeys(OF_UNITS)
        rows = tuple(row._replace(**unknown) for row in rows)
    counted = set(range(len(rows)) if weak else kept(times))
    mask = tuple(not unlike and row.converged and i in counted for i, row in enumerate(rows))
    return Result(
        name=name,
        group=(
            *(round_of(runs), runs.benchmark or (everyone[0].run.benchmark if everyone else "")),
            *(shared(rows, "problem"), scaling(runs), shared(rows, "division")),
        ),
        category=shared(rows, "category"),
        judged=runs,
        standing=stands,
        rows=rows,
        pruned=len(everyone) - len(rows),
        mask=mask,
        score=replace(found, fom=None) if not_judged or unlike else found,  # it has none as logged either
        spread=None if unlike else spread(*converged_columns(rows)),
        models=models,
        energy=energy(rows, mask, seconds_between(rows), weak),
        why=not_judged or unlike or (None if as_logged else stands.objection) or why or None,
        as_logged=as_logged,
    )


def seconds_between(rows: Sequence[Row]) -> float:
    """Seconds between the last two evaluations of a run: the median over the set, 0 if unknown. Where every run ended
    at its first evaluation, these are the seconds of a run."""
    steps = known(rows, "step_ms")
    steps = steps or [row.total_ms for row in rows if row.converged and row.evaluations == 1 and row.total_ms]
    return median(steps) / 1000 if steps else 0.0


def known(rows: Sequence[Row], column: str) -> list[Any]:
    """A column's values, without None."""
    return [value for row in rows if (value := getattr(row, column)) is not None]


def converged_columns(rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Seconds and epochs of the converged runs."""
    pairs = [(row.seconds, float(row.epochs)) for row in rows if math.isfinite(row.seconds) and row.epochs]
    return [t for t, _ in pairs], [e for _, e in pairs]


def shared(rows: Sequence[Row], column: str) -> str:
    """A text that all runs share, "" if none has one, "mixed" where they differ."""
    found = {*map(str, known(rows, column))}
    return "mixed" if len(found) > 1 else "".join(found)


# What a row says of its units, which is wrong where it gives those of the whole system
OF_UNITS = ("nodes", "units", "train_rate_per_unit", "unit_hours", "node_hours")
MUST_AGREE = ("problem", "submission_division", "submission_benchmark", "rules_edition")  # keys of logs


def mixed(rows: Sequence[Row]) -> str | None:
    """Why runs cannot be one set, if they cannot."""
    said: dict[str, list[Any]] = {
        key.rpartition("_")[2]: [text(row.run.value(key)) for row in rows] for key in MUST_AGREE
    }
    for what, values in (said | {"target": [row.target for row in rows]}).items():
        found = sorted({str(value) for value in values if value is not None})
        if len(found) > 1:
            return f"runs of {len(found)} {what}s in one set: {', '.join(found)[:200]}"
    if not rows:
        return "every run is among the pruned"
    if any(row.run.throughput_only for row in rows):
        if all(row.run.throughput_only for row in rows):
            return "throughput only: no run of training to a target"
        return "runs of training and logs of throughput alone in one set"
    return None


def ranked(results: list[Result]) -> Iterator[Result]:
    """The results by group, best first, those without score last. A rank is a range: see `ranks`."""
    for _, members in groupby(sorted(results, key=lambda r: (r.group, merit(r))), key=lambda r: r.group):
        group = list(members)
        placed = [r for r in group if r.ranked]
        ranges = iter(rank_ranges([r.seconds for r in placed], [seconds_between(r.rows) for r in placed]))
        for r in group:
            yield replace(r, rank=next(ranges)) if r.ranked else replace(r, would_stand=as_logged_place(r, placed))


def as_logged_place(r: Result, placed: Sequence[Result]) -> tuple[int, int] | None:
    """(place, of how many) among the sets of its group that a set would have if its errors were none; None if it has no
    figure even so, or no errors."""
    if r.fom is not None or r.weak or r.score.fom is None or not r.standing.errors or not r.judged.submission:
        return None
    return 1 + sum(other.fom is not None and other.fom < r.score.fom for other in placed), len(placed) + 1


def merit(r: Result) -> tuple[float, str]:
    """The key by which a group is sorted, best first."""
    if r.throughput is not None:
        return (-r.throughput.models_per_hour, r.name)
    return (math.inf if r.fom is None else r.fom, r.name)
