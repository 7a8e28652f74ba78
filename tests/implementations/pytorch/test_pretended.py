"""A training step of every workload and layout on a GPU that is not there: nothing is left on the CPU."""

import subprocess
import sys

import pytest

from tests.support import ROOT

pytestmark = pytest.mark.slow

STEPS = {  # problem and layout -> weights, gradients, and tensors of the optimizer
    "smoke:2,1,1,1": 200,
    "smoke:1,2,2,2": 200,
    "cosmoflow-mini:1,2,2,2": 36,
    "deepcam-mini:2,1,1,1": 628,
}
MISTAKES = [f"smoke:1,1,1,1:{mistake}" for mistake in ("batch", "constant")]


def test_everything_is_on_the_device():
    """And a tensor that is left on the CPU fails."""
    command = [sys.executable, "-m", "tests.implementations.pytorch.pretend", *STEPS, *MISTAKES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    error = "Expected all tensors to be on the same device, but found at least two devices"
    assert all(error in said.pop(step) for step in MISTAKES)
    assert said == {step: f"{tensors} pretended" for step, tensors in STEPS.items()}
