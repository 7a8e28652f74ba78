import math

import numpy as np
import pytest

from benchmark import metric
from benchmark.metric import Counts, dice
from benchmark.scaffold.shortcut_tables import count


def test_counts_by_hand():
    predicted, true = np.array([[0, 1, 1], [2, 2, 0]]), np.array([[0, 1, 2], [2, 1, 1]])
    assert count(predicted, true, 4) == Counts((1, 1, 1, 0), (2, 2, 2, 0), (1, 3, 2, 0))
    with pytest.raises(ValueError, match="shapes differ"):
        count(np.zeros((2, 2), int), np.zeros((2, 3), int), 2)


@pytest.mark.parametrize(
    "other", [Counts((1,), (2, 2), (3, 3)), Counts((1, 1), (2,), (3, 3)), Counts((1, 1), (2, 2), (3,))]
)
def test_counts_of_other_classes_are_not_added(other):
    counts = Counts((1, 2), (3, 4), (5, 6))
    assert counts + counts == Counts((2, 4), (6, 8), (10, 12))
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        counts + other


def test_dice_by_hand():
    assert dice(Counts((9, 3, 0), (10, 4, 0), (9, 5, 0))) == (6 / 9 + 1.0) / 2
    assert dice(Counts((9, 0), (10, 4), (9, 5))) == 0.0
    assert dice(Counts((9, 0), (10, 4), (9, 4))) == 0.0  # as many, elsewhere
    with pytest.raises(ValueError, match="foreground"):
        dice(Counts((1,), (1,), (1,)))


def test_dice_has_the_same_bits_in_every_python(monkeypatch):
    """sum() is exact from Python 3.12 on, as math.fsum is, and would give 0.2633333333333333."""
    counts = Counts((0, 2, 42, 35), (0, 100, 100, 100), (0, 100, 100, 100))
    monkeypatch.setattr(metric, "sum", math.fsum, raising=False)
    assert dice(counts) == (0.02 + 0.42 + 0.35) / 3 == 0.26333333333333336


def test_means_do_not_depend_on_order():
    values = [(0.1 * i, 1e16 * (-1) ** i, 1 / (i + 1)) for i in range(100)]
    forward, backward = metric.sums(values), metric.sums(values[::-1])
    assert forward == backward and forward[1] == 0.0
    assert metric.mean([1.0, 2.0, 3.0], 4) == 0.5 and metric.mean([1.0, 2.0], 1) == 1.5
    for sums, samples in (([0.0], 0), ([], 1)):
        with pytest.raises(ValueError, match=f"found {samples} and {len(sums)}"):
            metric.mean(sums, samples)
