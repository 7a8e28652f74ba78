"""What a run needed to its target: epochs, where its score crossed the target, or samples."""

import math

import pytest

from compliance.reading.epochs import epochs_of, needed
from compliance.reading.run import Evaluation
from tests.compliance import made


def run(scores, first=1, target=0.95, samples=None, lower=False):
    """A run with an evaluation after each epoch, up to the one that met its target."""
    evaluations = [Evaluation(10 * i, 1000 * i, i + first - 1, None, score) for i, score in enumerate(scores, 1)]
    met = [e for e in evaluations if (e.value <= target if lower else e.value >= target)]
    passing = met[0] if met else None
    return made.run(evaluations=evaluations, passing=passing, first_epoch=first, target=target, samples=samples)


@pytest.mark.parametrize("first", [0, 1])
def test_a_crossing_is_between_the_last_two_evaluations_if_any(first):
    assert needed(run([0.5, 0.9, 0.975], first), True) == pytest.approx(2 + 2 / 3)
    assert needed(run([0.5, 0.9, 0.975], first), False) == epochs_of(run([0.5, 0.9, 0.975], first)) == 3
    assert needed(run([0.3, 0.2, 0.1], first, 0.15, lower=True), True) == pytest.approx(2.5)
    assert needed(run([0.96]), True) == 1
    assert needed(run([0.5, 0.9]), True) == math.inf


@pytest.mark.parametrize(("first", "shift"), [(1, 0), (0, 1), (None, 0), (3, -2), (0.25, 0)])
def test_epochs_are_counted_from_the_first(first, shift):
    assert made.run(first_epoch=first).shift == shift


def test_samples_count_where_runs_say_so():
    assert needed(run([0.5, 0.96], samples=5120.0), True) == 5120
    assert needed(run([0.5, 0.6], samples=5120.0), True) == math.inf
