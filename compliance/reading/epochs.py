"""How many epochs a run took to its target."""

import math

from compliance.reading.run import Run
from rules.reference import crossing


def epochs_of(run: Run) -> float | None:
    """Return the epochs that a run trained up to the evaluation that met its target, None if none did."""
    if run.passing is None or run.passing.epoch is None:
        return None
    return run.passing.epoch + run.shift


def needed(run: Run, between: bool) -> float:
    """Return what a run needed in the unit of its reference points, epochs or samples, infinity if it missed
    the target. With `between`, it is where its score crossed the target on a straight line from the evaluation before;
    the first evaluation has none before it."""
    end, at = epochs_of(run), run.passing
    if end is None or at is None:
        return math.inf
    if run.samples is not None:
        return run.samples
    before = [e for e in run.evaluations if e.line < at.line and e.epoch is not None and e.epoch + run.shift < end]
    if not between or not before or run.target is None:
        return end
    last = before[-1]
    return crossing(((last.epoch or 0.0) + run.shift, last.value), (end, at.value), run.target)
