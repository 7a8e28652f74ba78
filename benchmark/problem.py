"""Load problem definitions from the workloads' problems.yaml into their frozen dataclasses."""

import hashlib
import json
from pathlib import Path

from benchmark.config import build, read_yaml, shallow, suggest
from benchmark.workload import DEFAULT, AnyProblem, problem_files, workload

SPLITS = ("train", "validation")
UNREACHED = "nobody has trained scale7 to scale11 to their target at full width yet"  # for the help of commands


class Samples:
    """What the problems of all workloads share. Samples are numbered from 0, the training split first."""

    train_samples: int
    validation_samples: int

    @property
    def samples(self) -> int:
        """The number of samples in both splits together."""
        return self.train_samples + self.validation_samples

    @property
    def most_boxes(self) -> tuple[int, ...]:
        """The most boxes on each axis that a sample can be cut into: one, unless a problem says otherwise."""
        return (1, 1, 1)

    def check_samples(self) -> None:
        """Raise ValueError, naming the field, unless both splits have samples."""
        for field in ("train_samples", "validation_samples"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}: found {getattr(self, field)}, wanted at least 1")

    def digest(self) -> str:
        """Return the sha256 of the definition as canonical JSON. Two problems with one digest are the same problem."""
        return hashlib.sha256(json.dumps(shallow(self), sort_keys=True).encode()).hexdigest()

    def split_samples(self, split: str) -> range:
        """Return the sample ids of the split "train" or "validation". Raises ValueError for another split."""
        if split == "train":
            return range(self.train_samples)
        if split == "validation":
            return range(self.train_samples, self.samples)
        raise ValueError(f"found split {split!r}, wanted 'train' or 'validation'")


def load_problem(name: str, path: Path | None = None) -> AnyProblem:
    """Return the problem of that name from the file at `path`, or, without one, from the files of all workloads.

    An entry belongs to ScaFFold unless its field `workload` names another workload. Raises ValueError for an unknown
    name, with the names that exist, and for a wrong field.
    """
    files = [path] if path else problem_files()
    found = {file: read_yaml(file) for file in files}
    for file, problems in found.items():
        if not isinstance(problems, dict):
            raise ValueError(f"{file}: found {type(problems).__name__}, wanted problems by their names")
    for file, problems in found.items():
        if name in problems:
            if not isinstance(problems[name], dict):
                raise ValueError(f"{file.name}: {name}: found {problems[name]!r:.80}, wanted the fields of a problem")
            fields = dict(problems[name])
            kind = fields.pop("workload", DEFAULT)
            problem: AnyProblem = build(workload(kind).Problem, {"name": name, **fields}, f"{file.name}: {name}")
            return problem
    known = [str(known) for problems in found.values() for known in problems]
    raise ValueError(f"{files[0].name}: no problem {name!r}{suggest(name, known)}{'' if path else '; or --problems'}")
