"""How far an evaluation is from the logged one; `test_reevaluate.py` evaluates."""

import pytest

from harness.auditing.logged import Epoch
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools.reevaluation import Apart, apart

LOGGED = Epoch(1, 1.0, 0.5, {"hits": (100, 0), "true": (400, 0)})


@pytest.mark.parametrize(
    ("facts", "score", "wanted"),
    [
        ({"hits": [100, 0], "true": [400, 0]}, 0.5, Apart(0.0, 0.0, True)),
        ({"hits": [100, 0]}, 0.5, Apart(0.0, 0.0, True)),  # the log has more lists
        ({"hits": [[75], [0]]}, 0.5, Apart(0.25, 0.0, False)),  # by sample
        ({"hits": [75, 0], "true": [400, 0]}, 0.5, Apart(0.25, 0.0, False)),
        ({"hits": [100, 0], "true": [500, 0]}, 0.25, Apart(0.2, 0.25, False)),
        ({"hits": [100, 1], "true": [400, 0]}, 0.5, Apart(1.0, 0.0, False)),  # nothing against something
        ({"hits": [100, 0], "true": [400, 0]}, 0.75, Apart(0.0, 0.25, False)),
    ],
)
def test_the_largest_difference(facts, score, wanted):
    assert apart(LOGGED, Evaluation(score, facts)) == wanted


@pytest.mark.parametrize("facts", [{"hits": [100, 0], "true": [400]}, {"hits": [1, 0], "sums": [1, 0]}])
def test_other_counts_are_no_evaluation_of_this_problem(facts):
    with pytest.raises(ValueError, match="found an evaluation with"):
        apart(LOGGED, Evaluation(0.5, facts))
