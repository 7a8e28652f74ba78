"""A little of the fuzzing, and the inputs that once broke something; fuzz.py runs the campaigns."""

from pathlib import Path

import pytest

from tests.compliance import fuzz

HERE = Path(__file__).parent

# (kind, seed of the campaign, number of the input): each of them failed once.
REGRESSIONS = [("tree", 1, 354), ("tree", 11, 97077), ("log", 12, 59665), ("log", 12, 78416), ("log", 2201, 47848)]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory):
    return fuzz.Fuzzer(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("kind,seed,number", REGRESSIONS)
def test_what_once_failed(fuzzer, kind, seed, number):
    getattr(fuzzer, kind)(fuzz.number(kind, seed, number))


@pytest.mark.parametrize(
    "kind,count",
    [
        ("log", 100),
        ("tree", 40),
        ("ledger", 40),
        pytest.param("output", 10, marks=pytest.mark.slow),
        ("manifest", 100),
        ("sample", 10),
        ("waived", 10),
    ],
)
def test_a_little_fuzzing(fuzzer, kind, count):
    assert fuzz.campaign(kind, getattr(fuzzer, kind), 0, count) == []


def damages(event):
    """An event, damaged in one field of it or of its metadata after the other."""
    for name in (*fuzz.KEYS, "namespace"):
        yield from ({**event, name: value} for value in ("x", {"a": [1]}, True))
    for name in (*event["metadata"], "epoch_num", "status", "samples_count", "step_num"):
        yield {**event, "metadata": {n: v for n, v in event["metadata"].items() if n != name}}
        yield from ({**event, "metadata": {**event["metadata"], name: value}} for value in (-1, True))


@pytest.mark.slow
def test_each_damage_to_each_event_is_found_or_known_to_be_harmless(fuzzer):
    good, seen = fuzzer.base[0], set()
    for at, event in enumerate(good):
        for events in ([], [event, dict(event)], *([e] for e in damages(event) if event["key"] not in seen)):
            fuzzer.accepted(fuzzer.text([*good[:at], *events, *good[at + 1 :]]).encode(), "v1.0", good)
        seen.add(event["key"])


CORPUS = sorted((HERE / "corpus").glob("*"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_inputs_that_once_stopped_something(fuzzer, path, tree):
    """As the log of a set, and, of JSON, as a system description."""
    place = tree.path(2) if path.suffix == ".txt" else tree.root / "systems" / "box.json"
    place.write_bytes(path.read_bytes())
    assert fuzzer.verdict(tree.root, None).exit_code == 1
