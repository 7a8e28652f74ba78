"""CosmoFlow's samples dealt out over ranks and split by them, in real processes, against one rank."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("ranks.py")
CLOSE = 1e-10
CONTROLS = {"no gather", "dropout by rank", "penalty by rank", "kernel 2 padded before"}


@pytest.mark.slow
def test_every_layout_computes_what_one_rank_does(tmp_path):
    """Predictions, loss, every gradient, the weights after three steps and the score, with uneven and empty shares,
    kernels of 2 and dropout; the negative controls fail."""
    out = tmp_path / "differences.json"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, str(WORKER), str(out)], check=True, timeout=300, env=environment)
    worst = {name: max(kinds.values()) for name, kinds in json.loads(out.read_text()).items()}
    assert len(worst) > 20 and worst.keys() > CONTROLS
    far = {name: difference for name, difference in worst.items() if not difference < CLOSE}
    assert far.keys() == CONTROLS, far
    assert min(far.values()) > 1e-3  # a control that fails by rounding alone would show nothing
