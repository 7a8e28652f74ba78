"""When a trial ends before its target: by its budget of seconds, or pruned. The trial and the judge ask the same
question of the same logs, so that what the trial decided can be computed again.

A trial decides behind an evaluation, by what its own log and those of trials that were over say until then.
"""

import statistics
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from benchmark.tuning.campaign import Campaign

ENDED = "the trial ends: "  # how the reason begins that the log's run_stop has


@dataclass(frozen=True)
class Course:
    """How a trial went: when its clock started and stopped, in milliseconds since 1970, None where it didn't; and its
    evaluations in order, (epoch, milliseconds, score) each."""

    start: int | None
    stop: int | None
    evaluations: tuple[tuple[float, int, float], ...]


def ending(campaign: Campaign, own: Course, others: Iterable[Course], lower: bool) -> str:
    """Why a trial ends behind the last of its evaluations; "" if it goes on. `lower`: a lower score is better."""
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
    """The score of a trial that was over by then, at an epoch or the last one before it."""
    if course.stop is None or course.stop >= before:
        return None
    count = bisect_right(course.evaluations, epoch, key=itemgetter(0))
    return course.evaluations[count - 1][2] if count else None


def first_ending(campaign: Campaign, own: Course, others: Sequence[Course], lower: bool) -> tuple[int, str] | None:
    """How many evaluations a trial has before it is to end, and why; None if neither budget nor rule ends it."""
    if campaign.budget.seconds is None and not campaign.pruning:
        return None
    for count, last in enumerate(own.evaluations, 1):  # the last evaluation is all that decides
        if why := ending(campaign, Course(own.start, own.stop, (last,)), others, lower):
            return count, why
    return None
