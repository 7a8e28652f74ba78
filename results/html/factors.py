"""What makes one system faster than another: the factors of the ratio of their times, as a chart."""

from collections.abc import Sequence
from typing import Any

from results.html.charts import Chart, Rows
from results.statistics.factors import RATE, STAGED_RATE, Factor

SHORT = {RATE: "speed of a device", STAGED_RATE: "speed with staging"}  # names that are too long for an axis
COLUMNS = ("s", "row", "set", "x", "low", "high", "a", "b")


def factor_chart(
    products: Sequence[tuple[str, Sequence[Factor]]],
    caption: str,
    keys: Sequence[dict[str, Any]],
    sets: Sequence[str] = (),
) -> Chart | None:
    """A row for each factor, with a mark and an interval for each of (name, factors), which `keys` gives its look;
    None without factors. `sets` are the anchors of the sets."""
    rows = [
        (
            s,
            SHORT.get(f.name, f.name),
            name,
            f.value,
            f.value if f.low is None else f.low,
            f.value if f.high is None else f.high,
            f.a,
            f.b,
        )
        for s, (name, found) in enumerate(products)
        for f in found
    ]
    if not rows:
        return None
    note = "Right of the line a factor makes the set slower, left of it faster; all of a set's multiply to its ratio."
    return Chart("factors", caption, keys, {"sets": Rows(COLUMNS, rows)}, note, "shape", sets=sets)
