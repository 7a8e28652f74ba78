"""The expected time of a set, and of two, in words."""

from results.statistics.expected import expected, ratio
from results.statistics.result import Result
from results.tables.formatting import interval, show, with_error

MEANS = "the reference's samples to the target at the speed that the runs measured, whatever their seeds; ranks nothing"


def expected_words(r: Result) -> str:
    """A set's expected time with its interval and both standard errors, or why it has none; "" for a set without figure
    of merit."""
    e, why = expected(r)
    if r.fom is None or e is None:
        return f"none: {why}" if r.fom else ""
    low, high = e.interval
    sizes = " and ".join(map(str, e.batches))
    where = f"a batch size of {sizes}" if len(e.batches) == 1 else f"batch sizes of {sizes}, on a straight line"
    return (
        f"{with_error(e.seconds, (high - low) / 2)} s, 95 % {interval(low, high)}; "
        f"standard errors {100 * e.speed_error:.2g} % by the runs' speed, {100 * e.points_error:.1f} % by the "
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
        return f"{other} needs {found.value:.3g} times as long as {name}, without an interval"
    span = f"{show(found.low, 3)} to {show(found.high, 3)}"
    if found.low <= 1:
        return f"not distinguishable: {other} needs {span} times as long as {name}"
    return f"{other} needs {show(found.value, 3)} times as long as {name} ({span})"
