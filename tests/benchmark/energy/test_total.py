from unittest.mock import Mock

import pytest

from benchmark.energy.counter import Counter
from benchmark.energy.total import Total


def counting(values, **fields):
    """The total of a counter that gives these values, an error among them raised, a second apart."""
    total = Total(Counter("rapl", "package", "package-0", 1e-6, Mock(side_effect=values), **fields))
    for second in range(len(values)):
        total.read(float(second))
    return total


def test_joules_of_a_counter_that_never_runs_back_and_longest_gap():
    total = counting([7_000_000, 9_500_000, 9_500_000, 12_000_000])
    assert (total.joules, total.gap, total.fault) == (5.0, 1.0, "")
    total = counting([10, 5, 20])
    assert total.joules is None and total.fault == "found 5 after 10, wanted a counter that never runs back"
    assert counting([5_000_000_000, 0], wraps_at=1000.0).joules is None  # more than its range
    other = Total(Counter("cray", "node", "node", 1.0, lambda: 5))
    for now in (0.0, 3.0, 4.0):
        other.read(now)
    assert other.gap == 3.0


def test_a_counter_that_wraps_gives_the_integral_to_1e_9():
    """Constant 200 W, a range of 1000 J, read every 3.7 s, through 148 wraps."""
    step, span, readings = 740_000_000, 1_000_000_000, 201
    total = counting([(999_999_999 + i * step) % span for i in range(readings)], wraps_at=1000.0)
    assert total.joules == pytest.approx(200 * 3.7 * (readings - 1), rel=1e-12)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (PermissionError(13, "Permission denied"), "permission denied"),
        (float("nan"), "found nan, wanted a count of energy"),
        (-1, "found -1, wanted a count of energy"),
    ],
)
def test_a_reading_that_fails_leaves_no_total_ever_after(bad, why):
    total = counting([1, bad, 3])
    assert (total.joules, total.fault) == (None, why)
