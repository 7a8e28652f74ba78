"""CosmoFlow's samples dealt out over ranks and split by them, in real processes, against one rank."""

from pathlib import Path

import pytest

from tests.support.ranks import differences_of, far

CONTROLS = {"no gather", "dropout by rank", "penalty by rank", "kernel 2 padded before"}


@pytest.mark.slow
def test_every_layout_computes_what_one_rank_does(tmp_path):
    """Predictions, loss, every gradient, the weights after three steps and the score, with uneven and empty shares,
    kernels of 2 and dropout; the negative controls fail."""
    found = differences_of(Path(__file__).with_name("ranks.py"), tmp_path / "differences.json")
    wrong = far(found, 1e-10)
    assert len(found) == 20 and wrong.keys() == CONTROLS, found
    assert min(wrong.values()) > 1e-3  # a control that fails by rounding alone would show nothing
