"""A run's milestones and scores, put in relation to each other once, for all checks."""

from dataclasses import dataclass
from typing import Any

from benchmark.log import Event
from compliance.run import Law, Run, is_number


@dataclass(frozen=True)
class Score:
    """One logged score. `passes`: a number that meets the target."""

    event: Event
    epoch: Any
    passes: bool


@dataclass(frozen=True)
class Timeline:
    """Milestones (None where missing) and scores. `inside` are the scores between run_start and run_stop, by line
    and by time; what comes after run_stop doesn't count."""

    start: Event | None
    stop: Event | None
    scores: tuple[Score, ...]
    inside: tuple[Score, ...]
    passing: Score | None  # the first of `inside` that meets the target
    late: Score | None  # where there's none: the first after run_stop that does

    @property
    def seconds(self) -> float | None:
        """run_start to run_stop in seconds, or None."""
        if self.start and self.stop and is_number(self.start.time_ms) and is_number(self.stop.time_ms):
            return (self.stop.time_ms - self.start.time_ms) / 1000
        return None


def field(event: Event, name: str) -> Any:
    """A field of an event's metadata, or None."""
    return event.metadata.get(name) if type(event.metadata) is dict else None


def epoch_of(event: Event) -> Any:
    """The epoch that an event says it belongs to, or None. A whole float counts as its integer."""
    number = field(event, "epoch_num")
    if type(number) is float and number.is_integer():
        return int(number)
    return str(number)[:80] if type(number) in (list, dict) else number


def meets(value: Any, law: Law) -> bool:
    """Whether a score meets the target."""
    if law.target is None or not is_number(value) or law.benchmark is None:
        return False
    if not in_range(value, law):
        return False
    return value <= law.target if law.benchmark.lower else value >= law.target


def in_range(value: Any, law: Law) -> bool:
    """Whether a score is a finite number that the metric can have."""
    limits = law.benchmark
    return (
        is_number(value)
        and value >= limits.score_min
        and (limits.score_max is None or value <= limits.score_max)
        and (limits.score_above is None or value > limits.score_above)
    )


def timeline(run: Run, law: Law) -> Timeline:
    """The run's timeline."""
    start, stops = run.first("run_start"), run.all("run_stop")
    stop = stops[0] if stops else None
    scores = tuple(Score(e, epoch_of(e), meets(e.value, law)) for e in run.all(law.metric))
    inside = tuple(s for s in scores if start and _between(s.event, start, stop))
    passing = next((s for s in inside if s.passes), None)
    late = None
    if not passing and stop:
        late = next((s for s in scores if s.passes and not _before(s.event, stop)), None)
    return Timeline(start, stop, scores, inside, passing, late)


def _before(event: Event, stop: Event) -> bool:
    timed = is_number(event.time_ms) and is_number(stop.time_ms)
    return event.line <= stop.line and (not timed or event.time_ms <= stop.time_ms)


def _between(event: Event, start: Event, stop: Event | None) -> bool:
    return event.line >= start.line and (stop is None or _before(event, stop))
