"""A workload is a kind of problem: its data, its network and its metric. Each workload is a package in this folder,
found by its name: no table lists them.

A workload's package, `benchmark.scaffold` for instance, defines the names below. The rest of this project uses only
these.

    Problem                   a frozen dataclass on top of `benchmark.problem.Samples`, see `AnyProblem`
    sample_path(root, problem, split, sample)           return the file of a sample
    verify_sample(root, problem, split, sample, box)    read a box (origin, shape), check all that can be checked, and
                                                        return the `VerifiedBox`
    read_sample(root, problem, split, sample, box, offsets)  return the arrays of a box that was verified before. It may
                                                        use the `offsets` that were found then, and need not check
                                                        anything: the caller compares a checksum
    blank(problem, box)                                 return zeros of the same shapes and types
    file_bytes(problem)                                 return the largest size of a sample's file

Its module `making`, which no run loads, defines what makes and measures data:

    make_sample(root, problem, split, sample)           generate and store a sample, completely or not at all
    stream_sample(problem, split, sample)               return its manifest.Entry without storing it
    measure_sample(root, problem, split, sample)        return its Entry, computed from every byte of its file
    state_sample(root, problem, split, sample)          return its Entry as the file states it (or measure_sample again)
    held_out(problem, seed)                             return the problem with fresh data of this seed, which share
                                                        nothing with its own data

Each raises ValueError, naming the file, for a sample that is missing, damaged or of another problem.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

HERE = Path(__file__).resolve().parent
DEFAULT = "scaffold"


class Box(NamedTuple):
    """A box-shaped part of a sample: where it begins on each axis, and its extents; for volumes in voxels (z, y, x)."""

    origin: tuple[int, ...]
    shape: tuple[int, ...]


class VerifiedBox(NamedTuple):
    """A box of a sample whose content was checked: its arrays, the targets last; its digest, which is its summand of
    the split's fingerprint; its voxels by class, or (); and, where the workload uses them, the arrays' offsets in the
    file."""

    arrays: tuple[np.ndarray, ...]
    digest: int
    class_counts: tuple[int, ...]
    offsets: Any = None


class AnyProblem(Protocol):
    """What every problem has. `shape` is a sample's shape, (D, H, W) for volumes; samples that are never split may have
    any number of axes. Axis i can be cut into at most `most_boxes[i]` boxes, a power of 2."""

    workload: ClassVar[str]

    @property
    def name(self) -> str: ...
    @property
    def train_samples(self) -> int: ...
    @property
    def validation_samples(self) -> int: ...
    @property
    def target(self) -> float: ...
    @property
    def data_seed(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def most_boxes(self) -> tuple[int, ...]: ...
    def digest(self) -> str: ...
    def split_samples(self, split: str) -> range: ...


def whole_box(problem: AnyProblem) -> Box:
    """Return the box of a whole sample."""
    return Box((0,) * len(problem.shape), problem.shape)


def workload(name: str) -> ModuleType:
    """Return the module of a workload. Raises ValueError for an unknown name."""
    if name not in workloads():
        raise ValueError(f"found workload {name!r}, wanted one of {', '.join(workloads())}")
    return import_module(f"benchmark.{name}")


def workloads() -> list[str]:
    """Return the names of the workloads, which are the folders with a problems.yaml."""
    return sorted(path.parent.name for path in HERE.glob("*/problems.yaml"))


def problem_files() -> list[Path]:
    """Return the files that define problems, ScaFFold's first."""
    return [HERE / name / "problems.yaml" for name in sorted(workloads(), key=lambda name: (name != DEFAULT, name))]


def held_out(problem: AnyProblem, seed: int) -> AnyProblem:
    """Return the problem with fresh data of the same definition, from a seed of the reviewer's choice. Raises
    ValueError for the problem's own seed, for a number that is no seed, and for a problem whose data are real."""
    if not 0 <= seed < 1 << 63 or seed == problem.data_seed:
        raise ValueError(f"data seed: found {seed}, wanted 0 to 2^63 - 1 and another than {problem.name}'s own")
    fresh: AnyProblem = maker_of(problem).held_out(problem, seed)
    return fresh


def module_of(problem: Any) -> ModuleType:
    """Return the module of a problem's workload."""
    return import_module(f"benchmark.{problem.workload}")


def maker_of(problem: Any) -> ModuleType:
    """Return the module that makes the data of a problem's workload."""
    return import_module(f"benchmark.{problem.workload}.making")
