"""A run's milestones and scores, put in relation to each other once, for all checks."""

from dataclasses import dataclass
from typing import Any

from benchmark.log import Event
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.values import is_number


@dataclass(frozen=True)
class Scored:
    """One logged score. `passes`: a number that meets the target; one that equals it does."""

    event: Event
    epoch: Any
    passes: bool


@dataclass(frozen=True)
class Timeline:
    """Milestones (None where missing) and scores. `inside` are the scores between run_start and run_stop, by line
    and by time; what comes after run_stop doesn't count. Of several run_stops the first ends the run."""

    start: Event | None
    stop: Event | None
    scores: tuple[Scored, ...]
    inside: tuple[Scored, ...]
    passing: Scored | None  # the first of `inside` that meets the target
    late: Scored | None  # where there's none: the first after run_stop that does

    @property
    def seconds(self) -> float | None:
        """run_start to run_stop in seconds, or None."""
        if self.start and self.stop and is_number(self.start.time_ms) and is_number(self.stop.time_ms):
            return (self.stop.time_ms - self.start.time_ms) / 1000
        return None


def metadata(event: Event, name: str) -> Any:
    """A field of an event's metadata, or None."""
    return event.metadata.get(name) if type(event.metadata) is dict else None


def epoch_of(event: Event) -> Any:
    """The epoch that an event says it belongs to, or None. A whole float counts as its integer."""
    number = metadata(event, "epoch_num")
    if type(number) is float and number.is_integer():
        return int(number)
    return str(number)[:80] if type(number) in (list, dict, bool) else number  # true is not 1


def meets(value: Any, terms: Terms) -> bool:
    """Whether a score meets the target. One that equals it does."""
    if terms.target is None or terms.benchmark is None or not in_range(value, terms):
        return False
    return value <= terms.target if terms.benchmark.lower else value >= terms.target


def in_range(value: Any, terms: Terms) -> bool:
    """Whether a score is a finite number that the metric can have."""
    limits = terms.benchmark
    return (
        is_number(value)
        and value >= limits.score_min
        and (limits.score_max is None or value <= limits.score_max)
        and (limits.score_above is None or value > limits.score_above)
    )


def timeline(log: Log, terms: Terms) -> Timeline:
    """The run's timeline."""
    start, stop = log.first("run_start"), log.first("run_stop")
    scores = tuple(Scored(e, epoch_of(e), meets(e.value, terms)) for e in log.all(terms.metric))
    inside = tuple(s for s in scores if start and _between(s.event, start, stop))
    passing = next((s for s in inside if s.passes), None)
    late = None
    if not passing and stop:
        late = next((s for s in scores if s.passes and not _before(s.event, stop)), None)
    return Timeline(start, stop, scores, inside, passing, late)


def _before(event: Event, stop: Event) -> bool:
    timed = is_number(event.time_ms) and is_number(stop.time_ms)
    return event.line <= stop.line and (not timed or event.time_ms <= stop.time_ms)


def _after(event: Event, start: Event) -> bool:
    timed = is_number(event.time_ms) and is_number(start.time_ms)
    return event.line >= start.line and (not timed or event.time_ms >= start.time_ms)


def _between(event: Event, start: Event, stop: Event | None) -> bool:
    return _after(event, start) and (stop is None or _before(event, stop))
