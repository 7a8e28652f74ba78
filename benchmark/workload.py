"""A workload is a kind of problem: its data, its network and its metric. Each workload is a package in this folder,
found by its name: no table lists them.

A workload's package, `benchmark.scaffold` for instance, defines the names below. The rest of this project uses only
these.

    Problem                   a frozen dataclass on top of `benchmark.problem.Samples`, see `AnyProblem`
    sample_path(root, problem, split, sample)           return the file of a sample
    make_sample(root, problem, split, sample)           generate and store a sample, completely or not at all
    stream_sample(problem, split, sample)               return its manifest.Entry without storing it
    measure_sample(root, problem, split, sample)        return its Entry, computed from every byte of its file
    state_sample(root, problem, split, sample)          return its Entry as the file states it (or measure_sample again)
    prove_sample(root, problem, split, sample, box)     read a box (origin, shape), check all that can be checked, and
                                                        return its `Proof`
    read_sample(root, problem, split, sample, box, places)  return the arrays of a box that was proved before. It may
                                                        use the proof's `places`, and need not check anything: the
                                                        caller compares a checksum
    blank(problem, box)                                 return zeros of the same shapes and types
    file_bytes(problem)                                 return the largest size of a sample's file
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
    """A box-shaped part of a sample, in voxels (z, y, x)."""

    origin: tuple[int, int, int]
    shape: tuple[int, int, int]


class Proof(NamedTuple):
    """A box of a sample that was checked: its arrays, the targets last; its summand of the split's fingerprint; its
    voxels by class, or (); and, where the workload uses it, where in the file the arrays are."""

    arrays: tuple[np.ndarray, ...]
    summand: int
    class_counts: tuple[int, ...]
    places: Any = None


class AnyProblem(Protocol):
    """What every problem has. `shape` is a sample's (D, H, W). Axis i of it can be cut into at most `most_boxes[i]`
    boxes, a power of 2."""

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
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def most_boxes(self) -> tuple[int, int, int]: ...
    def digest(self) -> str: ...
    def split_samples(self, split: str) -> range: ...


def whole_box(problem: AnyProblem) -> Box:
    """Return the box of a whole sample."""
    return Box((0, 0, 0), problem.shape)


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
    fresh: AnyProblem = module_of(problem).held_out(problem, seed)
    return fresh


def module_of(problem: Any) -> ModuleType:
    """Return the module of a problem's workload."""
    return import_module(f"benchmark.{problem.workload}")
