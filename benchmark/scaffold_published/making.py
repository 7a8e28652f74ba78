"""Measure the samples of a dataset that the authors' generator made. Its names are those of benchmark/workload.py."""

from pathlib import Path
from typing import NoReturn

from benchmark import fingerprint
from benchmark.manifest import Entry
from benchmark.scaffold_published import verify_sample
from benchmark.scaffold_published.description import check_description
from benchmark.scaffold_published.problem import Problem
from benchmark.workload import whole_box

SOURCE = "https://github.com/LBANN/ScaFFold"


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> NoReturn:
    """Raise ValueError: the generator is the authors'."""
    raise ValueError(
        f"{problem.name} has no generator here: make its data by the authors' ({SOURCE}), then run "
        "generate.py --manifest"
    )


def stream_sample(problem: Problem, split: str, sample: int) -> NoReturn:
    make_sample(Path(), problem, split, sample)


def held_out(problem: Problem, seed: int) -> NoReturn:
    make_sample(Path(), problem, "validation", 0)


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    """Return a sample's entry from every byte of its files. With a split's first one, what the generator wrote about
    the dataset is compared with the problem."""
    if sample == problem.split_samples(split).start:
        check_description(root, problem)
    found = verify_sample(root, problem, split, sample, whole_box(problem))
    return Entry(sample, split, fingerprint.to_hex(found.digest), found.class_counts)


state_sample = measure_sample  # the published files state nothing
