"""DeepCAM's samples dealt out over ranks, batch norm over groups of them, in real processes, against one rank."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("ranks.py")
CLOSE = 1e-9
CONTROLS = {"each rank its own statistics", "means of ranks' means", "gradients of a rank's own sums"}


@pytest.mark.slow
def test_grouped_ranks_compute_what_one_rank_does(tmp_path):
    """Loss, every gradient, running statistics, the weights after three steps of LAMB and the score, with uneven and
    empty shares; the negative controls fail. Of four ranks in pairs, both of a pair have the same statistics."""
    out = tmp_path / "differences.json"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, str(WORKER), str(out)], check=True, timeout=300, env=environment)
    found = json.loads(out.read_text())
    pairs = found.pop("pairs")
    assert pairs["0"] == pairs["1"] != pairs["2"] == pairs["3"]
    worst = {name: max(kinds.values()) for name, kinds in found.items()}
    assert len(worst) == 9
    far = {name: difference for name, difference in worst.items() if not difference < CLOSE}
    assert far.keys() == CONTROLS, worst
    assert min(far.values()) > 1e-4  # a control that fails by rounding alone would show nothing
