"""Samples dealt out over ranks, and volumes split by them, in real processes, against one rank: a launch of each."""

from pathlib import Path

import pytest

from tests.support.ranks import differences_of, far


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "close", "apart"), [("parallel", 1e-10, 1e-3), ("cosmoflow", 1e-10, 1e-3), ("deepcam", 1e-9, 1e-4)]
)
def test_every_layout_computes_what_one_rank_does(tmp_path, folder, close, apart):
    """Outputs, loss, every gradient, the weights after some steps and the score, with uneven and empty shares, kernels
    of 2, dropout, and batch norm over groups of ranks; the negative controls fail. Of four ranks in pairs, both of a
    pair have the same statistics."""
    found = differences_of(Path(__file__).parent / folder / "ranks.py", tmp_path / "differences.json")
    pairs = found.pop("pairs", {"0": 0, "1": 0, "2": 1, "3": 1})
    assert pairs["0"] == pairs["1"] != pairs["2"] == pairs["3"]
    wrong, controls = far(found, close), {name for name in found if name.startswith("wrong: ")}
    assert wrong.keys() == controls and len(controls) == 3 and len(found) >= 7, found
    assert min(wrong.values()) > apart  # a control that fails by rounding alone would show nothing
