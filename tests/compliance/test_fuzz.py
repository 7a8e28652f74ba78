"""A little of the fuzzing, and the inputs that once broke something; fuzz.py runs the campaigns."""

import importlib.util
import os
import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent
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


@pytest.mark.parametrize(
    "kind,count",
    [
        ("parser", 2000),
        ("log", 200),
        ("one", 400),
        ("tree", 100),
        ("ledger", 100),
        ("output", 10),
        ("manifest", 200),
        ("sample", 30),
    ],
)
def test_a_little_fuzzing(fuzzer, kind, count, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    assert fuzz.campaign(kind, getattr(fuzzer, kind), 0, count) == []


@pytest.mark.parametrize(
    ("done", "change"),
    [
        (("dropped", "seed", ""), lambda events: events[1:]),
        (("replaced", "seed", "value"), lambda events: [{**events[0], "value": 3}, *events[1:]]),
        (("metadata", "run_stop", "status"), lambda events: [*events[:-1], {**events[-1], "metadata": {}}]),
        (("moved", "run_stop", ""), lambda events: [events[-1], *events[:-1]]),
    ],
)
def test_what_is_not_harmless(fuzzer, done, change):
    good = fuzzer.base[0]
    assert fuzz.harmless(good, change(good), done, 100) == ""
    assert fuzz.harmless(good, list(good), done, 100) != ""


CORPUS = sorted((HERE / "corpus").glob("*"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_inputs_that_once_stopped_something(fuzzer, path, tree, monkeypatch):
    """As the log of a set, and, of JSON, as a system description."""
    place = tree.path(2) if path.suffix == ".txt" else tree.root / "systems" / "box.json"
    place.write_bytes(path.read_bytes())
    assert fuzzer.verdict(tree.root, None).exit_code == 1


@pytest.mark.parametrize(
    ("does", "said"),
    [
        (lambda *_: os.kill(os.getpid(), signal.SIGKILL), "ended by signal 9"),
        (lambda *_: bytearray(3 << 30), "MemoryError: "),
        (lambda *_: "x.h5: truncated", "refused x.h5: truncated"),
        (lambda *_: 5, "read 5"),
    ],
)
def test_how_a_library_ends_is_told(monkeypatch, does, said):
    monkeypatch.syspath_prepend(HERE)
    import fuzz_files

    monkeypatch.setattr(fuzz_files, "verify_one", does)
    assert fuzz_files.in_a_process(None, None, None) == said


def test_what_is_accepted_though_it_is_damaged_is_noticed(fuzzer, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    files = fuzzer.files
    import fuzz_files

    seen = []
    monkeypatch.setattr(fuzz_files, "load_manifest", lambda root, problem: seen.append(1) or len(seen))
    with pytest.raises(AssertionError, match="accepted"):
        files.manifest(fuzz.number("manifest", 1, 1))
