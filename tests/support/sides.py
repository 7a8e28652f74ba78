"""Tables of what fits and what does not."""

from collections.abc import Iterable


def sides(*rows: tuple) -> Iterable[tuple]:
    """Parameters of a test, of rows (what it is about, values that fit, values that do not): (what it is about, value,
    whether it fits) for each value. What it is about may be several things, or nothing."""
    for *about, good, bad in rows:
        yield from ((*about, value, True) for value in good)
        yield from ((*about, value, False) for value in bad)
