"""Kill processes at random moments, start them again by the same command, and see whether anything is lost.

    python tests/kills.py --generate 100 --train 60 --stage 40 --seed 1

Numbers count kills. Each is SIGKILL, to the process and to all that it started, after a random time; some processes are
stopped first, and go on for a moment before they are killed. A dataset ends as the one that nobody disturbed: the same
manifest, no other files. A run with checkpoints ends with the same scores, one clock, and a log without a fault of the
kind that an interruption could bring. `tests/` has short versions of these for every commit.
"""

import argparse
import contextlib
import importlib.util
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)

from benchmark.generate import generate  # noqa: E402
from benchmark.launch import Launch  # noqa: E402
from benchmark.log import Event, read_log  # noqa: E402
from benchmark.manifest import load_manifest  # noqa: E402
from benchmark.problem import load_problem  # noqa: E402

ALONE = Launch(0, 1, 0, 1, "none")
LONG = ("--rehearsal-seed", "7", "epochs=6", "average_decay=0.9")
MOST = 300  # seconds of one start


def started_by(pid: int) -> list[int]:
    """A process and all below it."""
    children = [int(c) for t in Path(f"/proc/{pid}/task").glob("*/children") for c in t.read_text().split()]
    return [pid, *(below for child in children for below in started_by(child))]


def killed(command: list[str], rng: random.Random, longest: float) -> tuple[bool, int, str]:
    """Start a command and kill it within so many seconds (0: never): whether it was, or its code and last words."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            words = process.communicate(timeout=rng.uniform(0.05, longest) if longest else MOST)[1]
            return False, process.returncode, words[-400:]
        except subprocess.TimeoutExpired:
            pass
        family = started_by(process.pid)
        if rng.random() < 0.3:
            for sign in (signal.SIGSTOP, signal.SIGCONT):
                tell(family, sign)
                time.sleep(rng.uniform(0, 0.2))
        tell(started_by(process.pid), signal.SIGKILL)
        process.communicate()
    return True, 0, ""


def tell(processes: list[int], sign: signal.Signals) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


def until(kills: int, one: Callable[[random.Random], int], rng: random.Random, name: str) -> None:
    """Repeat `one`, which returns how many kills its process saw before it ended, until there were so many."""
    done = rounds = 0
    begin = time.perf_counter()
    while done < kills:
        done += one(rng)
        rounds += 1
    seconds = time.perf_counter() - begin
    print(f"{name}: {done} kills of {rounds} processes that all ended whole, {seconds:.0f} s", flush=True)


class Kills:
    """The tiny problem of the tests in a scratch folder."""

    def __init__(self, scratch: Path):
        place = ROOT / "tests" / "implementations" / "pytorch" / "conftest.py"
        spec = importlib.util.spec_from_file_location("tiny_conftest", place)
        self.makers: Any = importlib.util.module_from_spec(spec)
        sys.modules["tiny_conftest"] = self.makers
        spec.loader.exec_module(self.makers)
        self.scratch, self.scores, self.seconds = scratch, None, 0.0
        self.problem, begin = load_problem("smoke"), time.perf_counter()
        generate(scratch / "smoke", self.problem, 2, ALONE)
        self.making = time.perf_counter() - begin
        (scratch / "tiny").mkdir()
        self.tiny = self.makers.make_endless(self.makers.make_tiny(scratch / "tiny"))

    def generate(self, rng: random.Random) -> int:
        """A dataset by a process that is killed until it gets through."""
        folder, count = self.scratch / "again", 0
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, str(ROOT / "benchmark" / "generate.py"), "--problem", "smoke", "--out", str(folder)]
        while (seen := killed([*command, "--workers", "2"], rng, 3 + self.making))[0]:
            count += 1
        assert seen[1] == 0, seen
        assert load_manifest(folder, self.problem) == load_manifest(self.scratch / "smoke", self.problem)
        names = [sorted(str(p.relative_to(at)) for p in at.rglob("*")) for at in (folder, self.scratch / "smoke")]
        assert names[0] == names[1], set(names[0]) ^ set(names[1])
        return count

    def train(self, rng: random.Random, *more: str) -> int:
        """A run with checkpoints."""
        if self.scores is None:
            begin = time.perf_counter()
            self.scores = self.run("whole", random.Random(0), 0)[0]
            self.seconds = time.perf_counter() - begin
        scores, count = self.run("killed", rng, 1.5 * self.seconds, *more)
        assert scores == self.scores, (scores, self.scores)
        return count

    def stage(self, rng: random.Random) -> int:
        """The same, with the data copied to a node's own disk first."""
        count = self.train(rng, "--stage", str(self.scratch / "disk"))
        assert not list((self.scratch / "disk").glob("*")), "a copy was left behind"
        return count

    def run(self, name: str, rng: random.Random, longest: float, *more: str) -> tuple[list, int]:
        """The scores of a run that is killed until it gets through, and how often it was."""
        folder, count = self.scratch / name, 0
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        log = folder / "result_0.txt"
        again = ["--checkpoint", str(folder / "checkpoints"), "--resume"]
        command = self.tiny.command(log, *again, *LONG, *more)
        while (seen := killed(command, rng, longest))[0]:
            count += 1
            if log.exists() and not list((folder / "checkpoints").glob("epoch_*")):
                log.unlink()  # nothing to go on with: submit.py would put it aside
            elif log.exists() and '"run_stop"' in log.read_text():
                break  # killed when all was said
        else:
            assert seen[1] == 1, seen  # its target is out of reach
        found = list(read_log(log))
        assert all(isinstance(e, Event) for e in found)
        assert all(a.time_ms <= b.time_ms for a, b in itertools.pairwise(found))
        assert [[e.key for e in found].count(key) for key in ("seed", "run_start", "run_stop")] == [1, 1, 1]
        return [(e.metadata["epoch_num"], e.value) for e in found if e.key == "eval_accuracy"], count


def main() -> int:
    """Kill, and say how often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, count in (("generate", 20), ("train", 10), ("stage", 5)):
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"kills (default: {count})")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        kills = Kills(Path(scratch))
        for kind in ("generate", "train", "stage"):
            until(getattr(args, kind), getattr(kills, kind), random.Random(f"{kind}/{args.seed}"), kind)
    return 0


if __name__ == "__main__":
    sys.exit(main())
