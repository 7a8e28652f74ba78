"""The published reference: which files of a submission are its own, under any name of the implementation."""

import pytest

from compliance.source.reference import published_path

TRAIN = "implementations/pytorch/train.py"
OURS = ("source", "0123456789ab")
MLPERF = ("benchmarks", "scaffold", "implementations", "tuned")


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((*OURS, *TRAIN.split("/")), TRAIN),
        ((*OURS, "implementations", "acme", "train.py"), TRAIN),
        ((*OURS, "implementations", "minimal", "train.py"), "implementations/minimal/train.py"),
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
