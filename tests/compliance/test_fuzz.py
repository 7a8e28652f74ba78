"""A little of the fuzzing, and the inputs that once broke something; fuzz.py runs the campaigns."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("compliance_test_fuzz", Path(__file__).with_name("fuzz.py"))
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)

# (kind, seed of the campaign, number of the input): each of them failed once.
REGRESSIONS = [("tree", 1, 354), ("tree", 11, 97077), ("log", 12, 59665), ("log", 12, 78416)]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory, logs):
    return fuzz.Fuzzer(tmp_path_factory.mktemp("fuzz"), logs)


@pytest.mark.parametrize("kind,seed,number", REGRESSIONS)
def test_what_once_failed(fuzzer, kind, seed, number):
    getattr(fuzzer, kind)(fuzz.number(kind, seed, number))


@pytest.mark.parametrize("kind,count", [("parser", 2000), ("log", 200), ("tree", 100), ("ledger", 100)])
def test_a_little_fuzzing(fuzzer, kind, count):
    assert fuzz.campaign(kind, getattr(fuzzer, kind), 0, count) == []
