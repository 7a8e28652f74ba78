"""A run's milestones and scores, and their order, computed once for all checks. Of a run that was interrupted and
resumed in the same log, the events of epochs that were begun and repeated are removed before."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmark.log import Event
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.values import is_number

BEGUN = (
    "epoch_start", "epoch_stop", "eval_start", "eval_stop", "tracked_stats", "staging_start", "staging_stop",
)  # fmt: skip


class Scored(NamedTuple):
    """One logged score. `passes`: whether it meets the target; one that equals it does."""

    event: Event
    epoch: Any
    passes: bool


@dataclass(frozen=True)
class Timeline:
    """Milestones (None if missing) and scores. `inside` are the scores between run_start and run_stop, by line and by
    time. The first of several run_stops ends the run."""

    start: Event | None
    stop: Event | None
    scores: tuple[Scored, ...]
    inside: tuple[Scored, ...]
    passing: Scored | None  # the first of `inside` that meets the target
    late: Scored | None  # if there is none: the first after run_stop that does

    @property
    def seconds(self) -> float | None:
        """run_start to run_stop in seconds, or None."""
        return seconds_between(self.start, self.stop)


def seconds_between(start: Event | None, stop: Event | None) -> float | None:
    """Return the seconds from one event to another, None if one is missing or has no time."""
    if start is None or stop is None or not is_number(start.time_ms) or not is_number(stop.time_ms):
        return None
    return (stop.time_ms - start.time_ms) / 1000


def metadata(event: Event, name: str) -> Any:
    """Return a field of an event's metadata, or None."""
    return event.metadata.get(name) if type(event.metadata) is dict else None


def epoch_of(event: Event) -> Any:
    """Return the epoch to which an event says it belongs, or None. A whole float counts as its integer."""
    number = event.metadata.get("epoch_num") if type(event.metadata) is dict else None  # called for most events
    if type(number) is int:  # nearly always
        return number
    if type(number) is float and number.is_integer():
        return int(number)
    return str(number)[:80] if type(number) in (list, dict, bool) else number  # true is not 1


def meets(value: Any, terms: Terms) -> bool:
    """Return whether a score meets the target. One that equals it does."""
    if terms.target is None or not in_range(value, terms):
        return False
    return bool(value <= terms.target if terms.benchmark.lower else value >= terms.target)


def in_range(value: Any, terms: Terms) -> bool:
    """Return whether a score is a finite number in the metric's range."""
    limits = terms.benchmark
    return (
        is_number(value)
        and value >= limits.score_min
        and (limits.score_max is None or value <= limits.score_max)
        and (limits.score_above is None or value > limits.score_above)
    )


def timeline(log: Log, terms: Terms) -> Timeline:
    """Return the timeline of a log."""
    start, stop = log.first("run_start"), log.first("run_stop")
    scores = tuple(Scored(e, epoch_of(e), meets(e.value, terms)) for e in log.all(terms.metric))
    inside = tuple(s for s in scores if start and _before(start, s.event) and (stop is None or _before(s.event, stop)))
    passing = next((s for s in inside if s.passes), None)
    late = None
    if not passing and stop:
        late = next((s for s in scores if s.passes and not _before(s.event, stop)), None)
    return Timeline(start, stop, scores, inside, passing, late)


def _before(one: Event, other: Event) -> bool:
    """Return whether one event comes before another, or with it, by line and by time."""
    timed = is_number(one.time_ms) and is_number(other.time_ms)
    return one.line <= other.line and (not timed or one.time_ms <= other.time_ms)


def set_aside(log: Log, metric: str) -> None:
    """Remove from the log, before each `resumed`, the events of the epoch that began after the last score, and a
    run_stop with status aborted. Scores and a run_stop with success always stay, so that no outcome can be hidden."""
    resumed = [e.line for e in log.all("resumed")]
    if not resumed:
        return
    scores = [e.line for e in log.all(metric)]

    def stands(event: Event) -> bool:
        """Return whether no interruption follows, or a score comes before it."""
        following = bisect_right(resumed, event.line)
        if following == len(resumed):
            return True
        return bisect_right(scores, event.line) < bisect_right(scores, resumed[following])

    for key in BEGUN:
        log.events[key] = [e for e in log.all(key) if stands(e)]
    log.events["run_stop"] = [e for e in log.all("run_stop") if stands(e) or metadata(e, "status") != "aborted"]
