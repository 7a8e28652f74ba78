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


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What comes of each step, all in one process: a device that is added to PyTorch stays."""
    command = [sys.executable, "-m", "tests.implementations.pytorch.pretend", *STEPS, *MISTAKES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize(("step", "tensors"), STEPS.items())
def test_everything_is_on_the_device(said, step, tensors):
    assert said[step] == f"{tensors} pretended"


@pytest.mark.parametrize("step", MISTAKES)
def test_a_tensor_that_is_left_on_the_cpu_fails(said, step):
    assert "Expected all tensors to be on the same device, but found at least two devices" in said[step]
