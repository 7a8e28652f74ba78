"""The published reference: which files of a submission are its own, under any name of the implementation."""

import hashlib

import pytest

from compliance.source.reference import ROOT, is_published, own_files, published_path

TRAIN = "implementations/pytorch/train.py"
OURS = ("source", "0123456789ab")
MLPERF = ("benchmarks", "scaffold", "implementations", "tuned")


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((*OURS, *TRAIN.split("/")), TRAIN),
        ((*OURS, "implementations", "acme", "train.py"), TRAIN),
        ((*OURS, "implementations", "acme", "input", "reader.py"), "implementations/pytorch/input/reader.py"),
        ((*OURS, "implementations", "__init__.py"), "implementations/__init__.py"),
        ((*OURS, "benchmark", "log.py"), "benchmark/log.py"),
        ((*OURS, "train.py"), "train.py"),
        ((*MLPERF, "train.py"), TRAIN),
        ((*MLPERF, "benchmark", "log.py"), "benchmark/log.py"),
        ((*MLPERF, "implementations", "tuned", "train.py"), TRAIN),
        (("source", "a.py"), ""),
        (("results", "a", "b", "c.py"), ""),
    ],
)
def test_path_in_the_reference(parts, path):
    assert published_path(parts) == path


def test_own_files_are_the_trees():
    files = own_files()
    assert {TRAIN, "benchmark/log.py", "rules/edition.py", "implementations/__init__.py"} <= files.keys()
    assert files[TRAIN] == hashlib.sha256((ROOT / TRAIN).read_bytes()).hexdigest()


def test_a_file_is_the_references_at_its_place_alone():
    digest = own_files()[TRAIN]
    assert is_published((*OURS, "implementations", "acme", "train.py"), digest, {})
    assert not is_published((*OURS, "implementations", "acme", "other.py"), digest, {})
    assert not is_published((*OURS, "implementations", "acme", "train.py"), "0" * 64, {})
    assert not is_published(("source", "train.py"), digest, {})


def test_a_release_is_the_reference_too():
    releases = {"v1.0.1": {TRAIN: "1" * 64}}
    assert is_published((*OURS, "implementations", "acme", "train.py"), "1" * 64, releases)
    assert not is_published((*OURS, "implementations", "acme", "task.py"), "1" * 64, releases)


def test_a_file_that_could_not_be_read_is_nobodys():
    assert not is_published((*OURS, *TRAIN.split("/")), "", {})
