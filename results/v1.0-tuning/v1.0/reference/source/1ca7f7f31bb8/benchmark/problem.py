"""Problem definitions: from the problems.yaml of the workloads into their frozen dataclasses."""

import hashlib
import json
from pathlib import Path

from benchmark.config import build, read_yaml, shallow, suggest
from benchmark.workload import DEFAULT, AnyProblem, problem_files, workload


def digest(problem: AnyProblem) -> str:
    """sha256 of a problem's definition as canonical JSON."""
    return hashlib.sha256(json.dumps(shallow(problem), sort_keys=True).encode()).hexdigest()


def split_samples(problem: AnyProblem, split: str) -> range:
    """The sample ids of a split of any problem."""
    if split == "train":
        return range(problem.train_samples)
    if split == "validation":
        return range(problem.train_samples, problem.samples)
    raise ValueError(f"found split {split!r}, wanted 'train' or 'validation'")


def load_problem(name: str, path: Path | None = None) -> AnyProblem:
    """The problem of that name, from the file at `path` or (None) from those of all workloads.

    An entry is of ScaFFold unless its `workload` says otherwise. Raises ValueError naming what is known, or the wrong
    field.
    """
    files = [path] if path else problem_files()
    found = {file: read_yaml(file) for file in files}
    for file, problems in found.items():
        if name in problems:
            fields = dict(problems[name])
            kind = fields.pop("workload", DEFAULT)
            return build(workload(kind).Problem, {"name": name, **fields}, f"{file.name}: {name}")
    known = [known for problems in found.values() for known in problems]
    raise ValueError(f"{files[0].name}: no problem {name!r}{suggest(name, known)}")
