"""Processes that are started, watched and killed; kills.py has what for."""

import contextlib
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MOST = 300  # seconds of a start
# Seconds in which ranks end that have lost one: far more than their timeout, as a rank that was still loading has to
# come so far first, on a busy machine
LEFT = 120


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    with contextlib.suppress(OSError):
        return [int(c) for t in Path(f"/proc/{pid}/task").glob("*/children") for c in t.read_text().split()]
    return []


def started_by(pid: int) -> list[int]:
    """A process and all below it."""
    return [pid, *(below for child in children(pid) for below in started_by(child))]


def goes_on(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether it holds, at the latest after so many seconds."""
    until = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return holds


def tell(processes: list[int], sign: signal.Signals) -> None:
    """Send a signal to those that go on."""
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


class Started:
    """A process that this one has started, by a fork of itself or as a program."""

    def __init__(self, words: Path, target: Callable[[], int] | list[str]):
        self.words, self.code = words, None
        file = open(words, "w")  # noqa: SIM115
        if isinstance(target, list):
            self.process: Any = subprocess.Popen(target, stdout=subprocess.DEVNULL, stderr=file)
            self.wait_for = self.process.wait
        else:
            self.process = multiprocessing.get_context("fork").Process(target=become, args=(target, file))
            self.process.start()
            self.wait_for = self.process.join
        file.close()
        self.pid = self.process.pid

    def wait(self, seconds: float) -> int | None:
        """Its exit code; None if it goes on after so many seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait_for(seconds)
        return self.process.exitcode if hasattr(self.process, "exitcode") else self.process.poll()

    def check(self) -> None:
        """Whatever became of it, it said so in a line. torchrun, below .venv, has tracebacks of its own."""
        said = self.words.read_text(errors="replace")
        ours = re.compile(rf'File "{re.escape(str(ROOT))}/(?!\.venv/)')
        assert not ours.search(said), said


def become(target: Callable[[], int], file: Any) -> None:
    """In a fork: do it, and say on standard error what is to be said."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(file.fileno(), 2)
    sys.exit(target())


class Forked(Started):
    """A run that the warm process has forked."""

    def __init__(self, words: Path, warm: Any, options: list[str], environment: dict[str, str] | None = None):
        self.words = words
        with open(words, "w") as file, open(os.devnull, "w") as null:
            self.process = warm.start(options, (0, null.fileno(), file.fileno()), environment)
        assert self.process, "the warm process is gone"
        self.pid = self.process.pid

    def wait(self, seconds: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)
        return None


def killed(process: Started, rng: random.Random, longest: float) -> int | None:
    """Kill a process with all that it started, within so many seconds (0: never): None, or the exit code that it had
    before."""
    code = process.wait(rng.uniform(0, longest) if longest else MOST)
    if code is None:
        assert longest, f"it goes on after {MOST} s"
        if rng.random() < 0.3:
            family = started_by(process.pid)
            for sign in (signal.SIGSTOP, signal.SIGCONT):
                tell(family, sign)
                time.sleep(rng.uniform(0, 0.1))
        tell(started_by(process.pid), signal.SIGKILL)
        process.wait(MOST)
    process.check()
    return code


class Ranks:
    """The ranks of a run: two processes, or what one process, their launcher, has started."""

    def __init__(self, processes: list[Started], launched: bool):
        self.processes, self.launched = processes, launched

    def wait(self, seconds: float) -> int | None:
        """The exit code that all have; None if one goes on after so many seconds."""
        until = time.monotonic() + seconds
        codes = {process.wait(max(0.0, until - time.monotonic())) for process in self.processes}
        assert None in codes or len(codes) == 1, codes
        return None if None in codes else codes.pop()

    def lose(self, rng: random.Random) -> float:
        """Kill the launcher, or some of the ranks, or have one stand still; the seconds in which all others end."""
        first = [process.pid for process in self.processes]
        family = [pid for at in first for pid in started_by(at)]
        ranks = [pid for at in first for pid in children(at)] if self.launched else first
        ways = [[rng.choice(ranks)], ranks, family] if ranks else []
        ways += [first, first, first] if self.launched else []
        begin, victims = time.monotonic(), rng.choice(ways)
        still = len(victims) == 1 and victims != first and rng.random() < 0.4
        tell(victims, signal.SIGSTOP if still else signal.SIGKILL)
        if still:
            others = [pid for pid in ranks if pid not in victims]
            assert wait_for(lambda: not any(map(goes_on, others)), LEFT), "a rank waits for one that stands still"
            tell(victims, signal.SIGKILL)
        if not wait_for(lambda: not any(map(goes_on, family)), LEFT):
            left = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in family if goes_on(pid)}
            raise AssertionError((left, victims, self.launched, [p.words.read_text() for p in self.processes]))
        for process in self.processes:
            process.wait(MOST)
        return time.monotonic() - begin
