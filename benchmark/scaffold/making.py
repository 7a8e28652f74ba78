"""Make ScaFFold's samples, and measure stored ones. Its names are those of benchmark/workload.py."""

from pathlib import Path

from benchmark.manifest import Entry
from benchmark.scaffold import store
from benchmark.scaffold.description import Header, read_header
from benchmark.scaffold.held_out import held_out
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import make_slabs
from benchmark.scaffold.writing import measure, read_slabs, write_slabs

__all__ = ["held_out"]


def make_sample(root: Path, problem: Problem, split: str, sample: int) -> None:
    """Generate and store a sample, with one slab of bricks in memory at a time."""
    write_slabs(store.sample_path(root, split, sample), problem, split, sample, make_slabs(problem, sample))


def stream_sample(problem: Problem, split: str, sample: int) -> Entry:
    """Return a sample's entry without storing the sample."""
    return entry(measure(problem, split, sample, make_slabs(problem, sample)))


def state_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    """Return the entry that the header of a sample's file states."""
    return entry(header(root, problem, split, sample))


def measure_sample(root: Path, problem: Problem, split: str, sample: int) -> Entry:
    """Return a sample's entry from every byte of its file, with one slab of bricks in memory at a time."""
    header(root, problem, split, sample)
    path = store.sample_path(root, split, sample)
    return entry(measure(problem, split, sample, read_slabs(path, problem)))


def header(root: Path, problem: Problem, split: str, sample: int) -> Header:
    """Return the header of a sample's file. Raises ValueError, naming the file, if it belongs to another problem."""
    path = store.sample_path(root, split, sample)
    found = read_header(path)
    if found.problem != problem.digest():
        raise ValueError(f"{path}: made for problem digest {found.problem}, wanted {problem.digest()} ({problem.name})")
    return found


def entry(found: Header) -> Entry:
    """Return the manifest's entry of a sample."""
    return Entry(found.sample, found.split, found.digest, found.class_counts)
