"""Workloads: what is trained on what. Each is a module of this package, found by its name: no table lists them.

A workload's module, `benchmark.scaffold` say, has these names; everything else here is written in terms of them.

    Problem                   a frozen dataclass, see `AnyProblem`
    sample_path(root, problem, split, sample)           the file of a sample
    make_sample(root, problem, split, sample)           generate and store it, whole or not at all
    stream_sample(problem, split, sample)               its manifest.Entry, without storing it
    measure_sample(root, problem, split, sample)        its Entry, from every byte of its file
    state_sample(root, problem, split, sample)          its Entry, as its file states it (or measure_sample again)
    prove_sample(root, problem, split, sample, box)     the `Proof` of a box (origin, shape), all checked that can be
    read_sample(root, problem, split, sample, box, places)  its arrays once more: the proof's `places` may help, and
                                                        nothing need be checked, as the caller has their checksum
    blank(problem, box)                                 zeros of the same shapes and types
    file_bytes(problem)                                 of a sample's file, at most
    held_out(problem, seed)                             the problem with fresh data of this seed, none of them its own's

All raise ValueError naming the file for a sample that is missing, damaged or another problem's.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

HERE = Path(__file__).resolve().parent
DEFAULT = "scaffold"


class Box(NamedTuple):
    """A part of a sample, in voxels (z, y, x)."""

    origin: tuple[int, int, int]
    shape: tuple[int, int, int]


class Proof(NamedTuple):
    """A box of a sample: its arrays, the targets last; what they add to the split's fingerprint; voxels by class or ();
    and, where the workload has a use for it, where in the file they are."""

    arrays: tuple[np.ndarray, ...]
    summand: int
    class_counts: tuple[int, ...]
    places: Any = None


class AnyProblem(Protocol):
    """What every problem has. `shape` is a sample's (D, H, W), of which axis i can be cut into `most_boxes[i]` boxes, a
    power of 2."""

    workload: ClassVar[str]
    name: str
    train_samples: int
    validation_samples: int
    target: float
    data_seed: int

    @property
    def samples(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def most_boxes(self) -> tuple[int, int, int]: ...
    def digest(self) -> str: ...
    def split_samples(self, split: str) -> range: ...


def workload(name: str) -> ModuleType:
    """The module of a workload. Raises ValueError if there is none."""
    if name not in workloads():
        raise ValueError(f"found workload {name!r}, wanted one of {', '.join(workloads())}")
    return import_module(f"benchmark.{name}")


def workloads() -> list[str]:
    """The workloads: folders with a problems.yaml."""
    return sorted(path.parent.name for path in HERE.glob("*/problems.yaml"))


def problem_files() -> list[Path]:
    """Where problems are defined."""
    return [HERE / name / "problems.yaml" for name in sorted(workloads(), key=lambda name: (name != DEFAULT, name))]


def held_out(problem: AnyProblem, seed: int) -> AnyProblem:
    """The problem with fresh data of the same definition, of a reviewer's own seed. Raises ValueError for a seed that
    is the problem's own or none, and for a problem whose data are real."""
    if not 0 <= seed < 1 << 63 or seed == problem.data_seed:
        raise ValueError(f"data seed: found {seed}, wanted 0 to 2^63 - 1 and another than {problem.name}'s own")
    return module_of(problem).held_out(problem, seed)


def module_of(problem: Any) -> ModuleType:
    """The module of a problem's workload."""
    return import_module(f"benchmark.{problem.workload}")
