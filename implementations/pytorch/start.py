"""Start and end runs, as programs of their own or forked from a warm process (`warm.py`)."""

import contextlib
import io
import json
import os
import platform
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmark.launch import end_with_parent

from .config import RunConfig

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PATIENCE = 15.0  # seconds that processes have to end by themselves
OURS = re.compile(r"train\.py: |epoch \d|block \d|final weights |.*: head [0-9a-f]{64}$")  # lines that runs print
RANK = re.compile(r"rank \d+: ")
EXIT_CODE = re.compile(r"exitcode\s*:\s*(-?\d+)")  # as torchrun reports it for each rank
MOST_LINES = 100  # of other output that are kept


class Forked:
    """A run that a warm process forked. It has the methods of `subprocess.Popen` that are needed here."""

    def __init__(self, teller: socket.socket, pid: int):
        self.teller, self.pid = teller, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, a signal's as -number; None while the run continues."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        if self.returncode is None:
            if not select.select([self.teller], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"run {self.pid}", timeout)
            told = self.teller.recv(4096)  # empty if the warm process was killed, which ends its runs
            self.returncode = json.loads(told)["code"] if told else -signal.SIGKILL
            self.teller.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the run, if it has not ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the run to end, by SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the run, by SIGKILL."""
        self.send_signal(signal.SIGKILL)


class Warm:
    """A warm process, which lasts as long as this context. When it ends, so do the runs that it has forked. `compiler`
    says whether runs compile; `environment` has their variables."""

    def __init__(self, compiler: bool, environment: Mapping[str, str] | None = None):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, str(HERE / "warm.py"), str(theirs.fileno()), *(["--compile"] if compiler else [])]
        with theirs:
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, **streams)

    def start(
        self, arguments: Sequence[str], streams: Sequence[int] = (0, 1, 2), environment: Mapping[str, str] | None = None
    ) -> Forked | None:
        """Start a run of train.py with these arguments in the present folder, and return it. `streams` are the
        descriptors of its input, output and errors. `environment` is added to the warm process's variables; variables
        that a package reads while it is loaded have no effect. Returns None if the warm process is gone, or if warm.py
        was edited since it started."""
        teller, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"arguments": list(arguments), "cwd": os.getcwd(), "environment": dict(environment or {})}
        told = b""
        with theirs, contextlib.suppress(OSError):
            socket.send_fds(self.control, [json.dumps(request).encode()], [theirs.fileno(), *streams])
            theirs.close()
            told = teller.recv(4096)
        if not told:
            teller.close()
            return None
        return Forked(teller, json.loads(told)["pid"])

    def close(self) -> None:
        """End the warm process, and the runs that it has forked."""
        self.control.close()
        end(self.process, ask=False)

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Process = Forked | subprocess.Popen


def can_be_warm(ranks: int, device: str) -> bool:
    """Return whether a run can be forked: one rank, since torchrun starts ranks itself; no GPU, whose libraries may not
    be forked; and Linux, where a process can get a signal when its parent ends."""
    return ranks == 1 and device == "cpu" and sys.platform == "linux"


def program(script: Path, ranks: int) -> list[str]:
    """Return the command that starts a script, without its options; by torchrun if there are several ranks."""
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "--"]
    return [sys.executable, *(torchrun if ranks > 1 else []), str(script)]


def environment(root: Path) -> dict[str, str]:
    """Return the variables of runs that a repository's programs start. Compiled kernels are kept in its build folder,
    separately for each machine, since another machine may not be able to run them."""
    kept = root / "build" / "inductor" / (platform.node() or "here")
    return {"TORCHINDUCTOR_CACHE_DIR": str(kept), **os.environ}


def warm_process(ranks: int, config: RunConfig) -> contextlib.AbstractContextManager[Warm | None]:
    """Return the process from which runs of these settings are forked; None as a context if they cannot be. It loads
    the packages while the caller does other work."""
    if can_be_warm(ranks, config.device):
        return Warm(config.compile, environment(ROOT))
    return contextlib.nullcontext()


def begin(ranks: int, options: Sequence[str], warm: Warm | None, variables: Mapping[str, str] | None = None) -> Process:
    """Start a run of train.py and return at once. It is forked from the warm process if there is one. `variables` are
    added to its environment."""
    if forked := warm.start(options, environment=variables) if warm else None:
        return forked
    command = [*program(HERE / "train.py", ranks), *options]
    env = {**environment(ROOT), **(variables or {})}
    return subprocess.Popen(command, env=env, preexec_fn=end_with_parent, start_new_session=True)


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a program to its end and return its exit code, a signal's as -number. The program ends if this process does.

    For ranks under torchrun the code is 2 if one of them ended with 2. Standard error is passed on, except for
    torchrun's own output, which is printed only if no rank says what went wrong.
    """
    process = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, preexec_fn=end_with_parent, start_new_session=True
    )
    told, rest, codes = set[str](), deque[str](maxlen=MOST_LINES), set[int]()

    def pass_on() -> None:
        for line in io.TextIOWrapper(process.stderr, errors="replace"):
            codes.update(int(code) for code in EXIT_CODE.findall(line))
            if not OURS.match(line):
                rest.append(line)
            elif (words := RANK.sub("", line)) not in told:  # what several ranks say is printed once
                told.add(words)
                print(line, end="", file=sys.stderr, flush=True)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    code = exit_code(process)
    reader.join(PATIENCE)
    if code and not any(line.startswith("train.py:") for line in told):
        print("".join(rest), end="", file=sys.stderr, flush=True)
    return 2 if code > 0 and 2 in codes else code


def exit_code(process: Process) -> int:
    """Wait for a run and return its exit code. If this process is interrupted, the run is ended."""
    try:
        return process.wait()
    finally:
        end(process)


def end(process: Process, ask: bool = True) -> None:
    """End a process: ask it to end, wait, then kill it."""
    if ask and process.poll() is None:
        process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def exit_on_signals() -> Iterator[None]:
    """Have SIGTERM and SIGINT raise SystemExit(128 + number) within this context, so that cleanup runs."""
    if threading.current_thread() is not threading.main_thread():  # the only one that may set handlers
        yield
        return
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
