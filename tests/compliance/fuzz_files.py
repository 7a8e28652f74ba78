"""Inputs for the fuzzer: damaged manifests and damaged files of data.

A damaged manifest is refused in one line that names it, or says what the good one does. A damaged file of data ends in
such a line, or in a digest; where files state their own digest, in the good one. It takes neither long nor much memory,
and no fault of a library's ends the process.
"""

import copy
import dataclasses
import json
import os
import random
import resource
import signal
from pathlib import Path
from typing import Any

from benchmark.generate import Task, generate, verify_one
from benchmark.launch import Launch
from benchmark.manifest import load_manifest, manifest_path
from benchmark.problem import load_problem
from benchmark.workload import AnyProblem, module_of

ALONE = Launch(0, 1, 0, 1, "none")
MEMORY = 1 << 30  # bytes more than the fuzzer has itself
SECONDS = 20
VALUES = [
    None, True, False, 0, -1, 1, 1.0, 0.5, 1e308, float("nan"), float("inf"), 1 << 62, 1 << 70, "", "x", "\x1b[31m",
    "\ud800", "0" * 64, "train", [], [1], {}, {"a": [1]}, [[[[]]]],
]  # fmt: skip


def problems() -> list[AnyProblem]:
    """Small ones of every workload and format."""
    smoke, universe, storms = map(load_problem, ("smoke", "cosmoflow-mini", "deepcam-mini"))
    sizes = {"scale": 4, "categories": 2, "instances": 6, "fractals": 2, "brick": 8, "cell": 8}
    counts = {"train_samples": 2, "validation_samples": 1}
    twin = dataclasses.replace(storms.twin, radius=(4.0, 6.0), half_width=(2.0, 3.0))
    return [
        dataclasses.replace(
            smoke, name="tiny", **sizes, train_samples=4, validation_samples=2, voxels_per_point=2, size=(192, 256)
        ),
        *(dataclasses.replace(universe, name=form, format=form, **counts) for form in ("tfrecord", "hdf5")),
        dataclasses.replace(storms, name="storms", twin=twin, height=32, width=48, **counts),
    ]


class Files:
    """Datasets of all workloads in a scratch folder, of which one file at a time is damaged."""

    def __init__(self, folder: Path, mutate: Any):
        self.mutate, self.data = mutate, []
        for problem in problems():
            root = folder / problem.name
            generate(root, problem, 1, ALONE)
            task = ("train", 1)
            path = module_of(problem).sample_path(root, problem, *task)
            self.data.append((root, problem, task, path, path.read_bytes(), verify_one(root, problem, task)))

    def manifest(self, rng: random.Random) -> None:
        """A manifest with mutated bytes, or with values that are not what they were."""
        root, problem, *_ = rng.choice(self.data)
        path = manifest_path(root)
        good, known = path.read_bytes(), load_manifest(root, problem)
        path.write_bytes(self.mutate(rng, good) if rng.random() < 0.3 else damaged(rng, json.loads(good)))
        try:
            found = load_manifest(root, problem)
        except ValueError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable(), error
        else:
            assert found == known, "accepted"
        finally:
            path.write_bytes(good)

    def sample(self, rng: random.Random) -> None:
        """A sample's file with mutated bytes, in a process of its own."""
        root, problem, task, path, good, known = rng.choice(self.data)
        path.write_bytes(self.mutate(rng, good))
        try:
            said = in_a_process(root, problem, task)
        finally:
            path.write_bytes(good)
        if said.startswith("refused "):
            line = said.removeprefix("refused ")
            assert line.startswith(f"{path}: ") and line.isprintable(), said
        else:
            assert said.startswith("read "), said
            assert problem.workload != "scaffold" or said == f"read {known}", "accepted"


def damaged(rng: random.Random, value: Any) -> bytes:
    """JSON of a value, of which one to three are replaced, doubled, taken away or added."""
    for _ in range(rng.randint(1, 3)):
        at = value
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at))) if isinstance(at, list) else []
            inner = [k for k in keys if isinstance(at[k], dict | list) and at[k]]
            if not inner or rng.random() < 0.3:
                break
            at = at[rng.choice(inner)]
        if not keys:
            break
        key, kind = rng.choice(keys), rng.randrange(4)
        if kind == 0:
            del at[key]
        elif kind == 1:
            twin = copy.deepcopy(at[key])
            at.insert(key, twin) if isinstance(at, list) else at.update({rng.choice(("id", "x", "\x1b")): twin})
        else:
            at[key] = copy.deepcopy(rng.choice(VALUES))  # lists may be added to next
    return json.dumps(value).encode()


def in_a_process(root: Path, problem: AnyProblem, task: Task) -> str:
    """What verifying a sample says: "read" and its entry, "refused" and the line, or how the process ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            signal.alarm(SECONDS)
            own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (own + MEMORY, own + MEMORY))
            try:
                found = verify_one(root, problem, task)
                said = f"refused {found}" if isinstance(found, str) else f"read {found}"
            except BaseException as error:
                said = f"{type(error).__name__}: {error}"
            os.write(writing, said.encode(errors="backslashreplace")[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said
