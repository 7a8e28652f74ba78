"""Damage files of samples, and see whether reading ends, and whether what is read is right or refused.

    python tests/damages.py [--damages 5000] [--seed 1] [--limit 10] [--format scaffold]

A damage is a flipped bit, eight bytes that became zero, or a lost end, at a random place of a file. Another process
verifies the sample as `generate.py --verify` does, and reads it as a run does. A reading must end within `--limit`
seconds, by no signal. What it refuses, it refuses by a ValueError that names the file, or by a wrong fingerprint; what
it passes is what was written. The exit code is 1 otherwise.
"""

import argparse
import dataclasses
import itertools
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from benchmark.generate import make_one, verify_one  # noqa: E402
from benchmark.problem import load_problem  # noqa: E402
from benchmark.scaffold.problem import Intensity  # noqa: E402
from benchmark.workload import AnyProblem, module_of, whole_box  # noqa: E402

TASK = ("train", 0)
KINDS = ("flip", "zero", "cut")
END = 4  # seconds for a process to be ended


class Damage(NamedTuple):
    """A damage of the file `name`: `kind` is one of KINDS, `at` the byte, `bit` the bit that is flipped."""

    name: str
    kind: str
    at: int
    bit: int = 0

    def done_to(self, data: bytes) -> bytes:
        """Return the damaged content of a file."""
        if self.kind == "cut":
            return data[: self.at]
        new = bytes([data[self.at] ^ 1 << self.bit]) if self.kind == "flip" else bytes(min(8, len(data) - self.at))
        return data[: self.at] + new + data[self.at + len(new) :]


def scaffold() -> AnyProblem:
    """Volumes of 16^3 voxels in bricks of 8^3."""
    return dataclasses.replace(
        load_problem("smoke"), name="tiny", scale=4, categories=2, instances=6, fractals=2, train_samples=4,
        validation_samples=2, brick=8, cell=8, voxels_per_point=2, size=(192, 256),
        intensity=Intensity(background=7, foreground=(100, 200)),
    )  # fmt: skip


def cosmoflow(form: str) -> AnyProblem:
    return dataclasses.replace(load_problem("cosmoflow-mini"), format=form)


def deepcam() -> AnyProblem:
    """Images of 32 x 48 pixels."""
    mini = load_problem("deepcam-mini")
    small = dataclasses.replace(mini.twin, radius=(4.0, 6.0), half_width=(2.0, 3.0))
    return dataclasses.replace(mini, name="tiny", twin=small, height=32, width=48, train_samples=3)


FORMATS: dict[str, Callable[[], AnyProblem]] = {
    "scaffold": scaffold,
    "cosmoflow-tfrecord": lambda: cosmoflow("tfrecord"),
    "cosmoflow-hdf5": lambda: cosmoflow("hdf5"),
    "deepcam": deepcam,
}


def made(folder: Path, problem: AnyProblem) -> dict[str, bytes]:
    """Make one sample in `folder`/whole. Return the files that it has, by name."""
    root = folder / "whole"
    make_one(root, problem, TASK)
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def drawn(files: dict[str, bytes], count: int, seed: int) -> Iterator[Damage]:
    """Yield damages of each kind in turn, at random places of random files."""
    rng = random.Random(seed)
    for number in range(count):
        name = rng.choice(sorted(files))
        yield Damage(name, KINDS[number % len(KINDS)], rng.randrange(len(files[name])), rng.randrange(8))


def outcome(root: Path, problem: AnyProblem, whole: Path) -> str:
    """Read a damaged sample in both ways. Return "refused" or "read" if that is right, else what is wrong. The same
    sample is undamaged in `whole`."""
    module, box = module_of(problem), whole_box(problem)
    said, wanted = (verify_one(folder, problem, TASK) for folder in (root, whole))
    if isinstance(said, str) and not said.startswith(f"{root}/"):
        return f"the error names no file: {said}"
    if not isinstance(said, str) and said != wanted and said.digest == wanted.digest:
        return "verified with other class counts"
    try:
        found = module.verify_sample(root, problem, *TASK, box)
    except ValueError as error:
        return "refused" if str(error).startswith(f"{root}/") else f"the error names no file: {error}"
    proof = module.verify_sample(whole, problem, *TASK, box)
    if found.digest != proof.digest:
        return "refused"  # by the fingerprint
    same = all(np.array_equal(a, b) for a, b in zip(found.arrays, proof.arrays, strict=True))
    return "read" if same else "changed arrays have the right fingerprint"


def read(problem: AnyProblem, whole: Path, files: dict[str, bytes], pipe: Connection) -> None:
    """Do each damage that comes through the pipe to a copy of the files, and send the outcome."""
    pipe.send("ready")
    for number in itertools.count():
        damage, root = pipe.recv(), whole.with_name(f"damaged{number}")
        for name, data in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(damage.done_to(data) if name == damage.name else data)
        try:
            pipe.send(outcome(root, problem, whole))
        except Exception as error:
            pipe.send(f"raised {error!r:.200}")
        shutil.rmtree(root)


class Reader:
    """A process that reads damaged files."""

    def __init__(self, *arguments: object):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=read, args=(*arguments, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.recv()

    def outcome(self, damage: Damage, limit: float) -> str:
        """Return the outcome of a damage, if it comes within `limit` seconds."""
        self.pipe.send(damage)
        if not self.pipe.poll(limit):
            return f"hung for {limit:g} s"
        try:
            return self.pipe.recv()
        except EOFError:
            self.process.join(END)
            return f"ended with exit code {self.process.exitcode}"

    def end(self) -> None:
        self.process.kill()
        self.process.join(END)


def outcomes(
    problem: AnyProblem, folder: Path, files: dict[str, bytes], damages: Iterable[Damage], limit: float
) -> Iterator[tuple[Damage, str]]:
    """Yield each damage of a sample's files, and its outcome. A reading that takes more than `limit` seconds is ended.
    `folder` holds the files in `whole`."""
    reader = Reader(problem, folder / "whole", files)
    try:
        for damage in damages:
            said = reader.outcome(damage, limit)
            yield damage, said
            if said.startswith(("hung", "ended")):
                reader.end()
                reader = Reader(problem, folder / "whole", files)
    finally:
        reader.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--damages", type=int, default=5000, help="of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10, help="seconds for a reading")
    parser.add_argument("--format", choices=FORMATS, action="append")
    args = parser.parse_args()
    wrong = 0
    for name in args.format or FORMATS:
        start, counts = time.monotonic(), Counter[tuple[str, str]]()
        with tempfile.TemporaryDirectory() as folder:
            problem = FORMATS[name]()
            files = made(Path(folder), problem)
            damages = drawn(files, args.damages, args.seed)
            for damage, said in outcomes(problem, Path(folder), files, damages, args.limit):
                counts[damage.kind, said if said in ("read", "refused") else "WRONG"] += 1
                if said not in ("read", "refused"):
                    wrong += 1
                    print(f"{name}: {damage}: {said}", flush=True)
        told = "; ".join(f"{kind} {said} {counts[kind, said]}" for kind, said in sorted(counts))
        print(f"{name}: {args.damages} damages in {time.monotonic() - start:.0f} s: {told}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
