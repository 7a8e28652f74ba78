"""The expected time of a set, and of two, in words."""

from results.measures.registry import MEASURES
from results.statistics.expected import expected, ratio
from results.statistics.result import Result
from results.tables.formatting import show, times, times_between
from results.tables.record import shown

MEANS = "the reference's samples to the target at the speed that the runs measured, whatever their seeds; ranks nothing"


def expected_words(r: Result) -> str:
    """A set's expected time with its interval and both standard errors, or why it has none; "" for a set without figure
    of merit."""
    e, why = expected(r)
    if r.fom is None or e is None:
        return f"none: {why}" if r.fom else ""
    sizes = " and ".join(map(str, e.batches))
    where = f"a batch size of {sizes}" if len(e.batches) == 1 else f"batch sizes of {sizes}, on a straight line"
    names = ("seconds", "low", "high", "speed_error", "points_error")
    seconds, low, high, speed, points = (shown(MEASURES[f"expected_{name}"], r) for name in names)
    return (
        f"{seconds} s, 95 % {low} to {high}; standard errors {speed} % by the runs' speed, {points} % by the "
        f"reference's {show(round(e.samples))} samples (points at {where}): {MEANS}"
    )


def pair_words(a: Result, b: Result, name: str, other: str, together: int = 1) -> str:
    """What the expected times of two sets can tell, in words: which needs more time."""
    (x, no_x), (y, no_y) = expected(a), expected(b)
    if x is None or y is None:
        return "; ".join(f"{who} has none: {why}" for who, why in ((name, no_x), (other, no_y)) if why)
    found = ratio(y, x, together)
    if found.value < 1:
        found, name, other = ratio(x, y, together), other, name
    if found.low is None or found.high is None:
        return f"{other} needs {times(found.value)} times as long as {name}, without an interval"
    span = times_between(found.low, found.high)
    if found.low <= 1:
        return f"not distinguishable: {other} needs {span} times as long as {name}"
    return f"{other} needs {times(found.value, found.low, found.high)} times as long as {name} ({span})"
