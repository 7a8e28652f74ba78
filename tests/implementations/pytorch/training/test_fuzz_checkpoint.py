"""A little of the fuzzing of checkpoints; fuzz_checkpoint.py runs campaigns."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).with_name("fuzz_checkpoint.py")
_spec = importlib.util.spec_from_file_location("implementations_test_fuzz_checkpoint", PATH)
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)


def test_no_damaged_checkpoint_is_resumed(tmp_path):
    assert fuzz.campaign(tmp_path, 0, 100) == []


def test_a_checkpoint_that_is_resumed_is_noticed(tmp_path, monkeypatch):
    fuzzer = fuzz.Fuzzer(tmp_path)
    monkeypatch.setattr(fuzzer, "same", lambda at: False)  # though nothing is damaged
    with pytest.raises(AssertionError, match="resumed"):
        fuzzer.checkpoint(fuzz.number("checkpoint", 1, 1))
