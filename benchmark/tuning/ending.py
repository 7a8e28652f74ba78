"""Decide whether a trial ends before its target: because its budget of seconds is over, or because it is pruned.

A trial decides after each evaluation, from its own log and the logs of trials that were over by then. The checker
computes the decision again from the same logs.
"""

import statistics
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmark.log import Event, read_log

ENDED = "the trial ends: "  # the beginning of the reason in the log's run_stop


@dataclass(frozen=True)
class Course:
    """The course of a trial: when its clock started and stopped, in milliseconds since 1970 or None, and its
    evaluations in order, (epoch, milliseconds since 1970, score) each."""

    start: int | None
    stop: int | None
    evaluations: tuple[tuple[float, int, float], ...]


def ending(campaign: Any, own: Course, others: Iterable[Course], lower: bool) -> str:
    """Return why a trial ends after its last evaluation; "" if it continues. `campaign` has its `budget` and `pruning`,
    as benchmark/tuning/campaign.py. `lower`: a lower score is better."""
    if not own.evaluations or own.start is None:
        return ""
    epoch, now, score = own.evaluations[-1]
    budget, pruning = campaign.budget, campaign.pruning
    if budget.seconds is not None and now - own.start >= 1000 * budget.seconds:
        return f"its budget of {budget.seconds:g} s is over"
    if pruning and epoch >= pruning.epochs:
        known = [s for other in others if (s := _score_at(other, epoch, now - 1000 * pruning.settled)) is not None]
        if len(known) >= pruning.trials:
            median = statistics.median(known)
            if score > median if lower else score < median:
                return f"pruned, {score:.6g} at epoch {epoch:g} is worse than {median:.6g}, the median of {len(known)}"
    return ""


def _score_at(course: Course, epoch: float, before: float) -> float | None:
    """Return a trial's score at an epoch or its last one before; None if it was not over by the time `before`."""
    if course.stop is None or course.stop >= before:
        return None
    count = bisect_right(course.evaluations, epoch, key=itemgetter(0))
    return course.evaluations[count - 1][2] if count else None


def course(log: Path, metric: str) -> Course:
    """Return the course of a trial from its log, whose scores without an epoch are left out. Raises OSError for a log
    that cannot be read."""
    start = stop = None
    scores: list[tuple[Any, Any, Any]] = []
    for event in read_log(log):
        if not isinstance(event, Event):
            continue
        if event.key == "run_start":
            start = event.time_ms
        elif event.key == "run_stop":
            stop = event.time_ms
        elif event.key == metric and isinstance(event.metadata, dict):
            score = event.metadata.get("epoch_num"), event.time_ms, event.value
            if all(isinstance(number, int | float) for number in score):
                scores.append(score)
    return Course(start, stop, tuple(scores))
