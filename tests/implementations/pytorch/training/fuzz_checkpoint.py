"""Fuzzing checkpoints: `python tests/implementations/pytorch/training/fuzz_checkpoint.py --count 1000 --seed 1`.

A checkpoint of a small model is damaged: bits flipped, bytes mutated, cut or swapped between files, files exchanged for
those of another checkpoint or another kind, metadata.json replaced by other JSON. Each must be refused in one printable
line that names the folder or a file in it; none may be resumed, take 5 s, or end the process.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[4])

import torch
from torch import nn

from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.run.errors import WrongData
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import Evaluation
from implementations.pytorch.training.checkpoint import Checkpoints, Origin, open_checkpoints
from implementations.pytorch.training.state import TrainingState
from tests.compliance.fuzz import SLOW, mutate, number
from tests.compliance.fuzz_files import damaged

ALONE = Layout(1)
PART, METADATA = "part_000000.safetensors", "metadata.json"


def state(value: float) -> TrainingState:
    """A model and its optimizer, of a few kilobytes, whose weights are `value`."""
    model = nn.Linear(8, 8)
    nn.init.constant_(model.weight, value)
    return TrainingState(model, torch.optim.Adam(model.parameters()), None)


class Fuzzer:
    """Two checkpoints of a run, of which the first is damaged."""

    def __init__(self, folder: Path):
        log = folder / "log.txt"
        writer = LogWriter(log)
        writer.start("run_start")
        writer.close()
        self.origin = Origin(load_problem("smoke"), RunConfig(), log)
        self.kept, self.other, self.root = folder / "kept", folder / "other", folder / "checkpoints"
        for place, epoch in ((self.kept, 1), (self.other, 2)):
            found = Evaluation(0.5 * epoch, {"counts": [epoch]})
            Checkpoints(place, self.origin).save(state(epoch), ALONE, 7, epoch, found)

    def checkpoint(self, rng: random.Random) -> None:
        """One damage, and what comes of it."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.kept, self.root)
        at = self.root / "epoch_000001"
        while self.same(at):
            self.damage(rng, at)
        try:
            open_checkpoints(self.root, True, self.origin).restore(state(0.0), ALONE)
        except (ValueError, WrongData) as error:
            assert str(error).isprintable() and str(self.root) in str(error), error
        else:
            raise AssertionError("resumed")

    def same(self, at: Path) -> bool:
        """Whether the checkpoint is as it was written."""
        kept = self.kept / at.name
        return all((at / n).is_file() and (at / n).read_bytes() == (kept / n).read_bytes() for n in (PART, METADATA))

    def damage(self, rng: random.Random, at: Path) -> None:
        """One file becomes another."""
        file, other = rng.sample((at / PART, at / METADATA), 2)
        data, kind = file.read_bytes(), rng.randrange(8)
        if kind == 0:
            byte = rng.randrange(len(data))
            file.write_bytes(data[:byte] + bytes([data[byte] ^ 1 << rng.randrange(8)]) + data[byte + 1 :])
        elif kind == 1:
            file.write_bytes(data[: rng.randrange(len(data))])
        elif kind in (2, 3):
            file.write_bytes(mutate(rng, data))
        elif kind == 4:
            file.write_bytes(other.read_bytes() if rng.random() < 0.2 else rng.randbytes(len(data)))
        elif kind == 5:
            shutil.copy(self.other / "epoch_000002" / file.name, file)
        elif kind == 6:
            (at / METADATA).write_bytes(damaged(rng, json.loads((at / METADATA).read_text())))
        else:
            file.unlink()
            rng.choice((lambda: None, file.mkdir, lambda: os.mkfifo(file), lambda: file.symlink_to("/dev/zero")))()


def campaign(folder: Path, seed: int, count: int) -> list[str]:
    """What went wrong in so many damaged checkpoints."""
    fuzzer, failed = Fuzzer(folder), []
    for index in range(count):
        begin = time.monotonic()
        try:
            fuzzer.checkpoint(number("checkpoint", seed, index))
        except Exception as error:  # a fuzzer is after all of them
            failed.append(f"checkpoint {index}: {type(error).__name__}: {error}")
        if time.monotonic() - begin > SLOW:
            failed.append(f"checkpoint {index}: {time.monotonic() - begin:.1f} s")
    return failed


def main() -> int:
    """Run a campaign; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failed = campaign(Path(folder), args.seed, args.count)
    print(f"checkpoint: {args.count} inputs of seed {args.seed}, {len(failed)} failed")
    print(*failed[:20], sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
