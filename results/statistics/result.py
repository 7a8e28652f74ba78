"""Sets of runs as results: from the checker's verdict to one Result a set."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from compliance.reading.run import Run
from compliance.verdict import LogVerdict, SetVerdict, Verdict
from results.statistics.convergence import Surprise, surprise
from results.statistics.energy import SetEnergy, energy
from results.statistics.kind import kind_of
from results.statistics.ranks import rank_ranges
from results.statistics.score import Score, Spread, deviation, mean, median, score, spread
from results.statistics.standing import Standing, standing
from results.statistics.throughput import Model, Throughput, throughput
from results.tables.columns import Row
from results.tables.run_table import named_sets, rows_of
from rules.edition import load
from rules.merit import kept
from rules.permutation import MOST_RUNS

REFERENCE = "reference"  # the organisation whose convergence others are held against, for information


@dataclass(frozen=True)
class Result:
    """One set of runs. `score.fom`, or `models`, is printed only where `why` is None; `why` says what is in the way.

    `rows` and `runs` are the set's, unpruned, in the order of their numbers; `mask` tells which of them the figure of
    merit averages; `rank` is the best and worst place in its group; `surprise` holds its epochs against the
    reference's.
    """

    name: str
    group: tuple[str, ...]
    category: str
    judged: SetVerdict
    standing: Standing
    rows: tuple[Row, ...]
    runs: tuple[Run, ...]
    pruned: int
    mask: tuple[bool, ...]
    score: Score
    spread: Spread | None
    models: Throughput | None
    why: str | None
    rank: tuple[int, int] | None = None
    surprise: Surprise | None = None
    energy: SetEnergy | None = None
    as_logged: bool = False  # what the checker finds takes no number away

    @property
    def org(self) -> str:
        """The organisation's folder, "" where the set was given by itself."""
        return self.judged.org

    @property
    def system(self) -> str:
        """The system's folder, or the set's path where no folder says."""
        return self.judged.system or self.judged.path

    @property
    def label(self) -> str:
        """Organisation and system."""
        return f"{self.org}/{self.system}" if self.org else self.system

    @property
    def seconds(self) -> list[float]:
        """What each run took, infinity where it did not converge."""
        return [row.seconds for row in self.rows]

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
        return bool(self.rows) and all(row.throughput_only for row in self.rows)

    @property
    def in_order(self) -> bool:
        """Whether it has its figure, or is not there for one and the checker does not object."""
        return self.why is None or (self.throughput_only and (self.as_logged or not self.standing.errors))

    @property
    def weak(self) -> bool:
        """Whether it is a throughput of many models."""
        return self.group[3] == "weak"

    @property
    def kind(self) -> str:
        """Capability, capacity or hybrid: what the set shows of its system."""
        ranks = [n for run in self.runs if type(n := run.value("number_of_ranks")) is int]
        units = self.models.instance if self.models else most(self.rows, "units")
        return kind_of(self.group[3], units, max(ranks, default=None))

    @property
    def ranked(self) -> bool:
        """Whether it may have a rank: it needs its figure, and the submission that it belongs to."""
        return self.fom is not None and bool(self.judged.submission)

    def mean(self, column: str) -> float | None:
        """A column's mean over the runs that the figure of merit averages (over converged models, in a weak set)."""
        values = self.values(column)
        return mean(values) if values else None

    def deviation(self, column: str) -> float | None:
        """The sample standard deviation over the same runs; None below two."""
        values = self.values(column)
        return deviation(values) if len(values) > 1 else None

    def values(self, column: str) -> list[float]:
        """A column's numbers over the same runs."""
        found = (getattr(row, column) for row, used in zip(self.rows, self.mask, strict=True) if used)
        return [v for v in found if v is not None and math.isfinite(v)]

    def one(self, column: str) -> Any:
        """A value that all runs share, None where they differ or have none."""
        found = {getattr(row, column) for row in self.rows} - {None}
        return found.pop() if len(found) == 1 else None


def summarize(verdict: Verdict, as_logged: bool = False) -> list[Result]:
    """A Result for every set of a verdict, best first inside its group, groups in alphabetical order.

    With `as_logged`, what the checker finds takes no number away.
    """
    sets = [(name, runs) for name, runs in named_sets(verdict) if not runs.campaign]  # which results/tuning/ scores
    found = [r for name, runs in sets for r in results_of(name, runs, as_logged)]
    return list(ranked([against_reference(r, found) for r in found]))


def results_of(name: str, runs: SetVerdict, as_logged: bool = False) -> Iterator[Result]:
    """A set of runs is one thing; a folder of logs that measure throughput alone is one for each problem in it."""
    logs = sorted(runs.logs, key=lambda log: log.run.pruned)
    rows = rows_of(name, runs)
    pairs = list(zip(logs, rows, strict=True))
    if not rows or not all(row.throughput_only for row in rows):
        yield result(name, runs, pairs, as_logged)
        return

    def by_problem(pair: tuple[LogVerdict, Row]) -> str:
        return pair[1].problem or ""

    for _, part in groupby(sorted(pairs, key=by_problem), key=by_problem):
        yield result(name, runs, list(part), as_logged)


def result(name: str, runs: SetVerdict, pairs: Sequence[tuple[LogVerdict, Row]], as_logged: bool) -> Result:
    """One set's Result, not yet ranked."""
    live = [(log.run, row) for log, row in pairs if not row.pruned]
    rows = tuple(row for _, row in live)
    first = pairs[0][1] if pairs else Row(edition=runs.edition, benchmark=runs.benchmark, scaling=runs.scaling)
    stands = standing(runs, [log for log, _ in pairs])
    not_judged = f"not judged by all the rules: {runs.unjudged}" if runs.unjudged else None
    weak = first.scaling == "weak"
    times = [row.seconds for row in rows]
    found = score(times, None if weak else runs.required, seconds_between(rows))
    models, why = weak_score(rows) if weak else (None, found.why)
    unlike = mixed(rows)  # means over unlike runs would mean nothing
    counted = set(range(len(rows)) if weak else kept(times))
    mask = tuple(not unlike and row.converged and i in counted for i, row in enumerate(rows))
    return Result(
        name=name,
        group=(first.edition, first.benchmark, shared(rows, "problem"), first.scaling, shared(rows, "division")),
        category=shared(rows, "category"),
        judged=runs,
        standing=stands,
        rows=rows,
        runs=tuple(run for run, _ in live),
        pruned=len(pairs) - len(live),
        mask=mask,
        score=found,
        spread=None if unlike else spread(*converged_columns(rows)),
        models=models,
        energy=energy(rows, mask),
        why=not_judged or unlike or (None if as_logged else stands.objection) or why or None,
        as_logged=as_logged,
    )


def against_reference(r: Result, results: list[Result]) -> Result:
    """With its convergence held against the reference's at the same batch size: the edition's points where it has some
    for the problem, else the runs of the reference's own submission."""
    published = published_epochs(r)
    found = held_against(r, published) if published else against_submission(r, results)
    return r if found is None else replace(r, surprise=found)


def against_submission(r: Result, results: list[Result]) -> Surprise | None:
    """Its convergence held against the first set of the reference's submission that has its edition, benchmark, problem
    and batch size."""
    for other in results:
        sound = other.as_logged or not other.standing.errors
        if sound and other.org == REFERENCE and other.group[:3] == r.group[:3] and other is not r:
            found = convergence(r, other)
            if found is not None:
                return found
    return None


def published_epochs(r: Result) -> tuple[float, ...]:
    """The epochs of the reference's runs that the set's edition has for its problem and batch size, () where it has
    none."""
    published = load(r.judged.edition).problems.get(r.group[2])
    if published is None or published.benchmark != r.group[1]:
        return ()
    point = published.reference_epochs.get(r.one("batch"))
    return point.epochs if point else ()


def convergence(r: Result, reference: Result) -> Surprise | None:
    """How surprising a set's epochs are next to a reference of the same batch size; None where they can't be held
    against each other."""
    if r.one("batch") is None or r.one("batch") != reference.one("batch"):
        return None
    return held_against(r, converged_columns(reference.rows)[1])


def held_against(r: Result, epochs: Sequence[float]) -> Surprise | None:
    """How surprising a set's epochs are next to others; None where either has none, or they are too many."""
    own = converged_columns(r.rows)[1]
    return surprise(own, epochs) if own and epochs and len(own) + len(epochs) <= MOST_RUNS else None


def seconds_between(rows: Sequence[Row]) -> float:
    """The time between evaluations at the end of a set's runs, their median; 0 where it isn't known."""
    known = median([row.step_ms for row in rows if row.step_ms is not None])
    return known.value / 1000 if known else 0.0


def weak_score(rows: Sequence[Row]) -> tuple[Throughput | None, str]:
    """The throughput of a weak set's unpruned models, and why there is none."""
    models = [Model(row.start_ms or 0, row.stop_ms or 0, row.converged) for row in rows]
    return throughput(models, most(rows, "system_units"), most(rows, "units"))


def most(rows: Sequence[Row], column: str) -> float | None:
    """A column's largest number."""
    return max((v for row in rows if (v := getattr(row, column)) is not None), default=None)


def converged_columns(rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Seconds and epochs of the converged runs."""
    pairs = [(row.seconds, float(row.epochs)) for row in rows if math.isfinite(row.seconds) and row.epochs]
    return [t for t, _ in pairs], [e for _, e in pairs]


def shared(rows: Sequence[Row], column: str) -> str:
    """A text that all runs share, "" if none has one, "mixed" where they differ."""
    found = {str(v) for row in rows if (v := getattr(row, column)) is not None}
    return "mixed" if len(found) > 1 else "".join(found)


MUST_AGREE = ("problem", "logged_division", "logged_benchmark", "logged_edition", "target")


def mixed(rows: Sequence[Row]) -> str | None:
    """Why runs cannot be one set, if they cannot."""
    for column in MUST_AGREE:
        found = sorted({str(v) for row in rows if (v := getattr(row, column)) is not None})
        if len(found) > 1:
            return f"runs of {len(found)} {column.replace('logged_', '')}s in one set: {', '.join(found)[:200]}"
    if not rows:
        return "every run is among the pruned"
    if any(row.throughput_only for row in rows):
        if all(row.throughput_only for row in rows):
            return "throughput only: no run of training to a target"
        return "runs of training and logs of throughput alone in one set"
    return None


def ranked(results: list[Result]) -> Iterator[Result]:
    """By group, then best first; sets that have no number come last. Ranks are ranges: see `ranks`."""
    for _, members in groupby(sorted(results, key=lambda r: (r.group, merit(r))), key=lambda r: r.group):
        group = list(members)
        placed = [r for r in group if r.ranked]
        ranges = iter(rank_ranges([r.seconds for r in placed], [seconds_between(r.rows) for r in placed]))
        for r in group:
            yield replace(r, rank=next(ranges)) if r.ranked else r


def merit(r: Result) -> tuple[float, str]:
    """Small is good."""
    if r.throughput is not None:
        return (-r.throughput.models_per_hour, r.name)
    return (math.inf if r.fom is None else r.fom, r.name)
