"""What tests of the tools share."""

import dataclasses
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.support.forked import Warm, can_be_forked
from tests.support.tiny import Tiny, environment

IO_TRIAL = Path(__file__).resolve().parents[3] / "implementations" / "pytorch_tools" / "io_trial.py"


@pytest.fixture(scope="session")
def tiny_trial(tiny) -> Iterator[Tiny]:
    """The tiny problem, whose `train` makes trials of the input by io_trial.py."""
    warm = Warm(environment=environment(), script=IO_TRIAL) if can_be_forked() else nullcontext()
    with warm as process:
        yield dataclasses.replace(tiny, warm=process, script=IO_TRIAL)
