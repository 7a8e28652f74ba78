"""Numbers for a reader."""

import math

import pytest

from results.tables.formatting import hundredths, minutes, show


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (math.nan, "-"), (math.inf, "never"), (3.0, "3"), (12.345, "12.35"), (0.01234, "0.0123")],
)
def test_show(value, shown):
    assert show(value) == shown


def test_columns_line_up():
    assert [hundredths(v) for v in (None, math.inf, 3, 12.345)] == ["-", "never", "3.00", "12.35"]
    assert [minutes(v) for v in (None, 90)] == ["-", "1.50"]
