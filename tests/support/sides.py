"""Tables of what fits and what does not."""


def sides(*rows: tuple) -> list[tuple]:
    """Parameters of a test, of rows (what it is about, values that fit, values that do not): (what it is about, value,
    whether it fits) for each value. What it is about may be several things, or nothing."""
    found = []
    for *about, good, bad in rows:
        found += [(*about, value, True) for value in good]
        found += [(*about, value, False) for value in bad]
    return found
