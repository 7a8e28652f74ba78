"""Make CosmoFlow's synthetic universes, and measure stored samples. Its names are those of benchmark/workload.py."""

from pathlib import Path

from benchmark import fingerprint
from benchmark.cosmoflow import evidence, files, read_sample
from benchmark.cosmoflow.files import Arrays, sample_path
from benchmark.cosmoflow.problem import Problem, held_out
from benchmark.cosmoflow.universe import make_universe
from benchmark.manifest import Entry
from benchmark.workload import whole_box

__all__ = ["held_out"]


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> None:
    """Generate and store a synthetic universe, in the problem's format."""
    files.write_sample(sample_path(root, problem, split, sample), problem, *make_universe(problem, sample))


def stream_sample(problem: Problem, split: str, sample: int) -> Entry:
    return entry(problem, split, sample, make_universe(problem, sample))


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    return entry(problem, split, sample, read_sample(root, problem, split, sample, whole_box(problem)))


state_sample = measure_sample  # the published files state nothing


def entry(problem: Problem, split: str, sample: int, arrays: Arrays) -> Entry:
    """Return the manifest's entry of a sample."""
    digest, counts = evidence(problem, split, sample, whole_box(problem), arrays)
    return Entry(sample, split, fingerprint.to_hex(digest), counts)
