"""Start programs that end with this process, and end them."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.launch import end_with_parent, ending_signals

SIGNALS = 128  # exit codes from here on are of runs that a signal ended
PATIENCE = 15.0  # seconds that a program has to end by itself; a launcher of many ranks has PATIENT
PATIENT = 100.0
KERNELS = "TORCHINDUCTOR_CACHE_DIR"
OURS = re.compile(r"train\.py: |epoch \d|block \d|final weights |.*: head [0-9a-f]{64}$")  # lines that runs print
RANK = re.compile(r"rank \d+: ")
EXIT_CODE = re.compile(r"exitcode\s*:\s*(-?\d+)")  # as torchrun reports it for each rank
MOST_LINES = 100  # of other output that are kept


@dataclass(frozen=True)
class Share:
    """The part of this node that one of several runs gets: processor cores (none: all), and variables, such as those
    that choose its GPUs."""

    cores: tuple[int, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def claim(self) -> None:
        """Have this process end with its parent, and use these cores alone. A started program calls it."""
        end_with_parent()
        if self.cores and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, self.cores)


class Process(subprocess.Popen[bytes]):
    """A program that was started. It ends if this process does, and has `patience` seconds to end when it is asked
    to."""

    def __init__(self, command: Sequence[str], share: Share, patience: float = PATIENCE, stderr: int | None = None):
        self.patience = patience
        environment = {**os.environ, **share.variables}
        super().__init__(command, env=environment, stderr=stderr, preexec_fn=share.claim, start_new_session=True)

    def end(self) -> None:
        """Ask the program to end, wait, then kill it."""
        self.terminate()
        try:
            self.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()


class Torchrun(Process):
    """Ranks under torchrun. Their standard error is passed on, each line once; torchrun's own only if no rank says what
    went wrong. The exit code is 2 if a rank ended with 2."""

    def __init__(self, command: Sequence[str], share: Share):
        super().__init__(command, share, stderr=subprocess.PIPE)
        self.said, self.rest, self.codes = set[str](), deque[str](maxlen=MOST_LINES), set[int]()
        self.reader = threading.Thread(target=self._pass_on, daemon=True)
        self.reader.start()

    def wait(self, timeout: float | None = None) -> int:
        code = super().wait(timeout)
        self.reader.join(PATIENCE)
        if code and not any(line.startswith("train.py:") for line in self.said):
            print("".join(self.rest), end="", file=sys.stderr, flush=True)
            self.rest.clear()
        return 2 if code > 0 and 2 in self.codes else code

    def _pass_on(self) -> None:
        """Read standard error to its end."""
        for line in io.TextIOWrapper(self.stderr, errors="replace"):  # type: ignore[type-var]  # a pipe
            self.codes.update(int(code) for code in EXIT_CODE.findall(line))
            if not OURS.match(line):
                self.rest.append(line)
            elif (words := RANK.sub("", line)) not in self.said:  # what several ranks say is printed once
                self.said.add(words)
                print(line, end="", file=sys.stderr, flush=True)


def ended(code: int) -> str:
    """Return how a run of train.py ended that its exit code says failed."""
    signal = -code if code < 0 else code - SIGNALS if code > SIGNALS else 0
    return f"train.py was killed by signal {signal}" if signal else f"train.py ended with exit code {code}"


def finish(process: Process) -> int:
    """Wait for a program and return its exit code. If this process is interrupted, the program is ended."""
    try:
        return process.wait()
    finally:
        process.end()


@contextlib.contextmanager
def running() -> Iterator[dict[int, Process]]:
    """Yield a dict for processes by number. Those that are still in it at the end are ended."""
    processes: dict[int, Process] = {}
    try:
        yield processes
    finally:
        for process in processes.values():
            process.terminate()
        for process in processes.values():
            process.end()


@contextlib.contextmanager
def fresh_kernels(remove: Callable[[str], object] | None = None) -> Iterator[None]:
    """Have the runs of this context compile kernels into an empty folder, since a cache that was there could hold
    anything (ENV13). At the end it is removed here, and by `remove` on other nodes. A folder that the user names
    stays."""
    if KERNELS in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="kernels-", ignore_cleanup_errors=True) as folder:
        os.environ[KERNELS] = folder
        try:
            yield
        finally:
            del os.environ[KERNELS]
            if remove:
                remove(folder)


@contextlib.contextmanager
def exit_on_signals() -> Iterator[None]:
    """Have signals that end a run raise SystemExit(128 + number) within this context, so that cleanup runs."""
    if threading.current_thread() is not threading.main_thread():  # the only one that may set handlers
        yield
        return
    numbers = ending_signals()
    before = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
