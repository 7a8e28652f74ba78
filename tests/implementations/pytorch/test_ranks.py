"""Samples that are dealt out over ranks, and volumes that are split, in real processes, against one rank."""

import json
import os
import subprocess
import sys

import pytest

from tests.support import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "cases", "close", "controls", "least"),
    [
        ("parallel", 19, 1e-10, {"no halo", "wrong average"}, 1e-3),
        ("cosmoflow", 16, 1e-10, {"no gather", "dropout by rank", "penalty by rank", "kernel 2 padded before"}, 1e-3),
        (
            "deepcam",
            10,
            1e-9,
            {"each rank its own statistics", "means of ranks' means", "gradients of a rank's own sums"},
            1e-4,
        ),
    ],
)
def test_every_layout_computes_what_one_rank_does(tmp_path, part, cases, close, controls, least):
    """Outputs, loss, every gradient, the weights after some steps and the score; the negative controls fail."""
    out, module = tmp_path / "differences.json", f"tests.implementations.pytorch.{part}.ranks"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # other threads would not be there in a fork
    subprocess.run([sys.executable, "-m", module, str(out)], cwd=ROOT, check=True, timeout=300, env=environment)
    worst = {name: max(kinds.values()) for name, kinds in json.loads(out.read_text()).items()}
    wrong = {name: difference for name, difference in worst.items() if not difference < close}
    assert len(worst) == cases and wrong.keys() == controls, worst
    assert min(wrong.values()) > least  # a control that fails by rounding alone would show nothing
