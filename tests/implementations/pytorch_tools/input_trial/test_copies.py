"""Copies of a dataset for trials that read more than memory holds."""

import dataclasses
from types import SimpleNamespace

import pytest

from benchmark.fingerprint import to_hex
from benchmark.run.errors import WrongData
from benchmark.run.reader import Evidence, published_fingerprints
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch_tools.input_trial.copies import make_copies, numbered, place_of, verify_copies
from implementations.pytorch_tools.input_trial.reading import CountedReader


def make(tiny, root, number):
    beats = []
    make_copies(tiny.data, root, tiny.problem, number, Layout(1), lambda: beats.append(1))
    return len(beats)


def test_samples_are_numbered_through_all_copies(tmp_path):
    samples = range(10, 17)
    assert list(numbered(samples, 3)) == list(range(21))
    places = [place_of(tmp_path, samples, number) for number in (0, 6, 7, 20)]
    assert places == [(tmp_path / "0", 10), (tmp_path / "0", 16), (tmp_path / "1", 10), (tmp_path / "2", 16)]


def test_copies_are_written_once_and_no_run_takes_them(tiny, tmp_path):
    files = make(tiny, tmp_path, 2)
    assert files >= 2 * 7 and make(tiny, tmp_path, 2) == 0
    assert make(tiny, tmp_path, 3) == files // 2
    assert len(list((tmp_path / "2").rglob("*.h5"))) == 7 and not list(tmp_path.rglob("manifest.json"))
    with pytest.raises(WrongData, match="no manifest"):
        published_fingerprints(tmp_path / "0", tiny.problem)
    first = next((tmp_path / "1").rglob("*.h5"))
    first.write_bytes(b"cut")
    assert make(tiny, tmp_path, 3) == 1 and first.stat().st_size > 3


def test_what_is_read_adds_up_to_so_many_datasets(tiny, tmp_path):
    make(tiny, tmp_path, 2)
    reader = CountedReader(tiny.data, tiny.problem, None, 0, 2, 0.0)
    reader.turn_to(tmp_path, "stored", 2)
    run = SimpleNamespace(layout=Layout(1), reader=reader)
    list(reader.batches("train", [list(numbered(tiny.problem.split_samples("train"), 2))]))
    assert reader.evidence("train").samples == 14
    published = published_fingerprints(tiny.data, tiny.problem)
    verify_copies(run, 2, published)
    with pytest.raises(WrongData, match="found train fingerprint"):
        verify_copies(run, 3, published)
    found = reader.evidence("train")
    reader.verified["train"] = dataclasses.replace(found, fingerprint=found.fingerprint + 1)
    with pytest.raises(WrongData, match=to_hex(found.fingerprint + 1)):
        verify_copies(run, 2, published)
    assert sum([found], Evidence()) == found
