"""DeepCAM's samples dealt out over ranks, batch norm over groups of them, in real processes, against one rank."""

from pathlib import Path

import pytest

from tests.support.ranks import differences_of, far

CONTROLS = {"each rank its own statistics", "means of ranks' means", "gradients of a rank's own sums"}


@pytest.mark.slow
def test_grouped_ranks_compute_what_one_rank_does(tmp_path):
    """Logits, loss, every gradient, the weights and running statistics after three steps of LAMB and the score, with
    uneven and empty shares; the negative controls fail. Of four ranks in pairs, both of a pair have the same
    statistics."""
    found = differences_of(Path(__file__).with_name("ranks.py"), tmp_path / "differences.json")
    pairs = found.pop("pairs")
    assert pairs["0"] == pairs["1"] != pairs["2"] == pairs["3"]
    wrong = far(found, 1e-9)
    assert len(found) == 9 and wrong.keys() == CONTROLS, found
    assert min(wrong.values()) > 1e-4  # a control that fails by rounding alone would show nothing
