"""Scoring a judged campaign of tuning: its cost, its winner, and the time to solution with tuning."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, stdev
from typing import Any

from benchmark.ledger import Start
from benchmark.tuning.campaign import Campaign
from benchmark.tuning.folder import Opened
from compliance.reading.devices import CPU, groups_of
from compliance.reading.epochs import epochs_of
from compliance.reading.ledger import SetLedger, read_beside
from compliance.reading.run import Run
from compliance.reading.series import Span
from compliance.reading.tuning import point_of, read, winner_of
from compliance.verdict import SetVerdict, Verdict
from results.runs.columns import Row
from results.runs.intervals import length, union
from results.runs.table import rows_of
from results.statistics.expected import STEP
from results.statistics.result import Result, results_of, seconds_between
from results.statistics.score import TrimmedMean, trimmed_mean
from results.statistics.standing import standing
from results.statistics.student import t_quantile
from results.tuning.estimators import Best, Estimate, best_of, running_time_interval, share


@dataclass(frozen=True)
class Trial:
    """A trial: its point, its seconds from start to stop, and when it stopped (milliseconds since 1970)."""

    index: int
    point: dict[str, Any]
    seconds: float
    units: float | None
    joules: float | None
    stop_ms: int
    reached: bool
    epochs: float | None
    pruned: bool = False
    hosts: frozenset[str] = frozenset()  # hosts whose processors it may share with other trials; () on accelerators

    @property
    def time(self) -> float:
        """Seconds to the target, infinite if the trial did not reach it."""
        return self.seconds if self.reached else math.inf


@dataclass(frozen=True)
class Scored:
    """A campaign. `why` says why it has no score, "" if it has one; figures of a campaign without score may be
    wrong."""

    judged: SetVerdict  # its trials
    opened: Opened | None
    trials: tuple[Trial, ...]
    confirmation: TrimmedMean | None
    samples: tuple[float, ...]  # samples to the target of each confirmation run
    epochs: tuple[float, ...]
    wall: float | None  # seconds from the first start to the last trial's stop
    lost: float  # seconds of starts that were repeated
    why: str
    confirmed: Result | None = None  # the confirmation runs as a set

    @property
    def system(self) -> str:
        """Organisation and system."""
        return "/".join(filter(None, (self.judged.org, self.judged.system)))

    @property
    def label(self) -> str:
        """Organisation, system and campaign."""
        return "/".join(filter(None, (self.system, self.judged.campaign)))

    @property
    def campaign(self) -> Campaign:
        """The frozen campaign. Only a campaign whose file could be read has one."""
        if self.opened is None:
            raise ValueError(f"{self.judged.path}: found no campaign.json that can be read, wanted one")
        return self.opened.campaign

    @property
    def winner(self) -> Trial | None:
        """The trial with the shortest time to the target."""
        return min((t for t in self.trials if t.reached), key=lambda t: (t.seconds, t.index), default=None)

    @property
    def successes(self) -> int:
        """The number of trials that reached the target."""
        return sum(t.reached for t in self.trials)

    @property
    def unit_hours(self) -> float | None:
        """Units times hours of all trials and repeated starts; None if units are unknown. Processors that several
        trials share at once count once."""
        units = [t.units for t in self.trials if t.units is not None]
        if not units or len(units) < len(self.trials):
            return None
        return (_unit_seconds(self.trials) + self.lost * max(units)) / 3600

    @property
    def joules(self) -> float | None:
        """The joules of all trials; None unless all were measured."""
        found = [t.joules for t in self.trials if t.joules is not None]
        return math.fsum(found) if found and len(found) == len(self.trials) else None

    @cached_property
    def running_time(self) -> Estimate:
        """The expected running time to the target."""
        return running_time_interval([t.seconds for t in self.trials], [t.reached for t in self.trials])

    @cached_property
    def best(self) -> list[Best]:
        """The expected best of k trials."""
        return best_of([t.time for t in self.trials])

    @property
    def share(self) -> Estimate:
        """The share of the space that reaches the target, with its interval."""
        return share(self.successes, len(self.trials), self.pruned)

    @property
    def pruned(self) -> int:
        """The number of trials that the pruning rule ended."""
        return sum(t.pruned for t in self.trials)

    @property
    def solution(self) -> Estimate | None:
        """The time to solution with tuning: the campaign's wall-clock seconds plus the figure of merit of the
        confirmation runs, with the interval of the latter: a campaign runs once, so its own error is not known. None
        without score."""
        if self.why or self.confirmation is None or self.wall is None:
            return None
        run = self.confirmation
        ends = [math.nan if end is None else self.wall + end for end in (run.low, run.high)]
        return Estimate(self.wall + run.mean, *ends)

    @property
    def samples_to_target(self) -> Estimate | None:
        """The mean samples to the target of the confirmation runs, with Student's interval; None below two runs. Their
        deviation is a sixth of an epoch at least, as that of the reference's: runs end at evaluations."""
        n = len(self.samples)
        if n < 2:
            return None
        mean = fmean(self.samples)
        spread = max(stdev(self.samples), STEP * mean / fmean(self.epochs))
        half = t_quantile(0.975, n - 1) * spread / math.sqrt(n)
        return Estimate(mean, max(mean - half, mean / 1e6), mean + half)


def campaigns(verdict: Verdict) -> list[Scored]:
    """Every campaign of a verdict, sorted by edition, problem and batch size, the shortest time to solution first."""
    sets = {s.path: s for s in verdict.all_sets if s.campaign}
    found = [_scored(s, sets.get(f"{s.path}/confirmation")) for s in sets.values() if not s.confirmation]

    def order(s: Scored) -> tuple[str, str, int, float, str]:
        problem = (s.campaign.problem, s.campaign.batch_size) if s.opened else ("", 0)
        return (s.judged.edition, *problem, s.solution.value if s.solution else math.inf, s.label)

    return sorted(found, key=order)


def _scored(trials: SetVerdict, confirming: SetVerdict | None) -> Scored:
    ledger = read_beside(trials.folder, trials.path)
    opened = read(trials.folder, ledger).opened
    rows = rows_of(trials)
    runs = [row.run for row in rows]
    made = [trial for row in rows if (trial := _trial(row, opened))]
    confirmed = [log.run for log in confirming.logs] if confirming else []
    times = [run.seconds if run.converged and run.seconds else math.inf for run in confirmed]
    epochs = tuple(e for run in confirmed if run.converged and (e := epochs_of(run)))
    as_set = next(results_of(trials.path, confirming, as_logged=False)) if confirming else None
    per_epoch = next((n for run in confirmed if type(n := run.value("train_samples")) is int), None)
    return Scored(
        judged=trials,
        opened=opened,
        trials=tuple(made),
        confirmation=trimmed_mean(times, seconds_between(as_set.rows)) if times and as_set else None,
        samples=tuple(e * per_epoch for e in epochs) if per_epoch else (),
        epochs=epochs,
        wall=_wall(made, runs, ledger),
        lost=_lost(ledger, runs),
        why=_objection(trials, confirming, opened, runs),
        confirmed=as_set,
    )


def _trial(row: Row, opened: Opened | None) -> Trial | None:
    """A trial; None if its log is not complete, or has no point of the campaign."""
    run = row.run
    if run.window is None or run.seconds is None or run.number is None or opened is None:
        return None
    try:
        point = point_of(opened, run.number)
    except ValueError:
        return None
    epochs = run.evaluations[-1].epoch if len(run.evaluations) else None
    return Trial(
        index=run.number,
        point=point,
        seconds=run.seconds,
        units=row.units,
        joules=run.joules,
        stop_ms=run.window[1],
        reached=run.converged,
        epochs=epochs,
        pruned=not run.converged and _is_pruned(epochs, run.seconds, opened.campaign),
        hosts=frozenset(g.host for g in groups_of(run.value("devices")) or () if g.kind == CPU),
    )


def _is_pruned(epochs: float | None, seconds: float, campaign: Campaign) -> bool:
    """Whether the pruning rule ended a trial without success: not before the rule's epoch, nor at its budget."""
    if campaign.pruning is None or epochs is None or epochs < campaign.pruning.epochs:
        return False
    budget = campaign.budget
    return epochs < budget.epochs if budget.epochs is not None else seconds < (budget.seconds or 0)


def _unit_seconds(trials: Sequence[Trial]) -> float:
    """Units times seconds of all trials. Processors of a host that several trials share at once count once."""
    alone = math.fsum(t.seconds * (t.units or 0) for t in trials if not t.hosts)
    shared = [t for t in trials if t.hosts]
    spans: dict[str, list[Span]] = {}
    for t in shared:
        for host in t.hosts:
            spans.setdefault(host, []).append((t.stop_ms - round(1000 * t.seconds), t.stop_ms))
    each = max(((t.units or 0) / len(t.hosts) for t in shared), default=0.0)
    return alone + each * sum(length(union(found)) for found in spans.values()) / 1000


def _wall(trials: Sequence[Trial], runs: Sequence[Run], ledger: SetLedger | None) -> float | None:
    """Seconds from the first start in the ledger, repeated ones included, to the last stop of a trial."""
    starts = [e.time_ms for e in ledger.ledger.entries if isinstance(e.said, Start)] if ledger else []
    starts += [run.start_ms for run in runs if run.start_ms is not None]
    return (max(t.stop_ms for t in trials) - min(starts)) / 1000 if trials and starts else None


def _lost(ledger: SetLedger | None, runs: Sequence[Run]) -> float:
    """Seconds of starts without a log: to their end in the ledger. A start that was killed has no end; it counts to the
    next line of the ledger, at most the time of the longest trial."""
    if ledger is None:
        return 0.0
    longest = max((run.seconds for run in runs if run.seconds), default=0.0)
    times = sorted(e.time_ms for e in ledger.ledger.entries)
    total = 0.0
    for number in ledger.others(runs):
        start, end = ledger.starts[number], ledger.ends.get(number)
        later = bisect_right(times, start.time_ms)
        stop = end.time_ms if end else times[later] if later < len(times) else math.inf
        took = max(0.0, (stop - start.time_ms) / 1000)
        total += took if end else min(took, longest)
    return total


def _objection(trials: SetVerdict, confirming: SetVerdict | None, opened: Opened | None, runs: Sequence[Run]) -> str:
    """Why a campaign has no score; "" if it has one."""
    if opened is None:
        return "its campaign.json or ledger can't be read: see TUN01"
    for judged in filter(None, (trials, confirming)):
        if judged.unjudged:
            return f"not judged by all the rules: {judged.unjudged}"
        if objection := standing(judged, judged.logs).objection:
            return objection
    if winner_of(list(runs)) is None:
        return "no trial reached the target"
    if confirming is None:
        return "no confirmation runs"
    return ""
