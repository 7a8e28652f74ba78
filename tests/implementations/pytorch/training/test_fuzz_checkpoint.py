"""A little of the fuzzing of checkpoints; fuzz_checkpoint.py runs campaigns."""

import pytest

from tests.implementations.pytorch.training import fuzz_checkpoint as fuzz


def test_no_damaged_checkpoint_is_resumed(tmp_path):
    assert fuzz.campaign(tmp_path, 0, 100) == []


def test_a_checkpoint_that_is_resumed_is_noticed(tmp_path, monkeypatch):
    fuzzer = fuzz.Fuzzer(tmp_path)
    monkeypatch.setattr(fuzzer, "same", lambda at: False)  # though nothing is damaged
    with pytest.raises(AssertionError, match="resumed"):
        fuzzer.checkpoint(fuzz.number("checkpoint", 1, 1))
