"""Runs of one or several ranks, forked from a warm process: real processes, which start without loading PyTorch.

Ranks get the variables that torchrun sets, and meet at a store of the tests' process, as they do at torchrun's.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile

from harness.launcher import ALL, Launcher
from harness.processes import Process, Share
from tests.support import ROOT

SERVER = Path(__file__).with_name("warm.py")
TRAIN = ROOT / "implementations" / "pytorch" / "train.py"
PATIENCE = 30.0  # seconds that torchrun gives the other ranks when one has failed
STEP = 0.02  # seconds between two looks


class Forked:
    """A run that a warm process forked, with those methods of `subprocess.Popen` that are needed."""

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

    def end(self) -> None:
        """Ask the run to end, wait, then kill it."""
        self.terminate()
        end(self)


class Warm:
    """A warm process, which lasts as long as this context. When it ends, so do the runs that it has forked.
    `environment` has their variables; `script` is the train.py that is run."""

    def __init__(self, environment: Mapping[str, str] | None = None, script: Path = TRAIN):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, str(SERVER), str(theirs.fileno()), str(script)]
        with theirs:
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment, **streams)

    def start(
        self, arguments: Sequence[str], streams: Sequence[int] = (0, 1, 2), environment: Mapping[str, str] | None = None
    ) -> Forked:
        """Start a run of train.py with these arguments in the present folder, and return it. `streams` are the
        descriptors of its input, output and errors. `environment` is added to the warm process's variables; variables
        that a package reads while it is loaded have no effect. Raises OSError if the warm process is gone."""
        teller, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"arguments": list(arguments), "cwd": os.getcwd(), "environment": dict(environment or {})}
        with theirs:
            socket.send_fds(self.control, [json.dumps(request).encode()], [theirs.fileno(), *streams])
        return Forked(teller, json.loads(teller.recv(4096))["pid"])

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: object) -> None:
        self.control.close()
        end(self.process)


def can_be_forked() -> bool:
    """Whether runs can be forked here: on Linux, where a process has a descriptor, and a signal at its parent's end."""
    return sys.platform == "linux"


def end(process: Forked | subprocess.Popen) -> None:
    """Wait for a process that ends by itself, then kill it."""
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Rank(Forked):
    """A forked process of train.py and what it says, with what tests need of `subprocess.Popen`'s methods."""

    def __init__(self, warm: Warm, arguments: Sequence[str], environment: Mapping[str, str]):
        self.files = [TemporaryFile("w+") for _ in range(2)]  # noqa: SIM115  they are read when the run is over
        run = warm.start(arguments, (0, *(file.fileno() for file in self.files)), environment)
        super().__init__(run.teller, run.pid)

    def said(self) -> list[str]:
        """What it has written to its output, and to its errors."""
        return [(file.seek(0), file.read())[1] for file in self.files]

    def communicate(self, timeout: float = 300) -> list[str]:
        """The same, at its end. Raises subprocess.TimeoutExpired."""
        self.wait(timeout)
        return self.said()


class Run:
    """All ranks of a run. A context: what goes on at its end is killed."""

    def __init__(self, warm: Warm, arguments: Sequence[str], ranks: int, environment: Mapping[str, str]):
        self.store, of_ranks = meeting(ranks) if ranks > 1 else (None, [{}])
        self.ranks = [Rank(warm, arguments, {**variables, **environment}) for variables in of_ranks]
        self.pid = self.ranks[0].pid

    def poll(self) -> int | None:
        """None of a run that goes on; 0 if all ranks ended well; else one rank's code, or 1 of several."""
        codes = [rank.poll() for rank in self.ranks]
        if None in codes:
            return None
        return codes[0] if len(codes) == 1 else int(any(codes))

    def wait(self, timeout: float = 300) -> int:
        """The exit code. A rank that fails has the others ended, as torchrun does. Raises subprocess.TimeoutExpired."""
        until, failed = time.monotonic() + timeout, None
        while (code := self.poll()) is None:
            if failed is None and any(rank.returncode for rank in self.ranks):
                failed = time.monotonic()
                self.send_signal(signal.SIGTERM)
            if failed is not None and time.monotonic() > failed + PATIENCE:
                self.kill()
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(f"run {self.pid}", timeout)
            time.sleep(STEP)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal to all ranks that go on."""
        for rank in self.ranks:
            rank.send_signal(number)

    def kill(self) -> None:
        """End all ranks at once, by SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = 300) -> list[str]:
        """What all ranks said, at the end. Raises subprocess.TimeoutExpired."""
        self.wait(timeout)
        return ["".join(texts) for texts in zip(*(rank.said() for rank in self.ranks), strict=True)]

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for rank in self.ranks:
            end(rank)


def meeting(ranks: int) -> tuple[object, list[dict[str, str]]]:
    """A store where ranks meet, for as long as it is kept, and the variables of each rank."""
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    common = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": store.port}
    common |= {"TORCHELASTIC_USE_AGENT_STORE": True, "TORCHELASTIC_RESTART_COUNT": 0}
    of_ranks = [{"RANK": rank, "LOCAL_RANK": rank, **common} for rank in range(ranks)]
    return store, [{name: str(value) for name, value in variables.items()} for variables in of_ranks]


def forked_start(warm: Warm) -> Callable:
    """What may take the place of `Launcher.start`: runs of one rank of the reference are forked."""
    start = Launcher.start

    def forked(self: Launcher, program: Sequence[str], share: Share = ALL) -> Process | Forked:
        if self.ranks > 1 or self.words or str(TRAIN) not in program:
            return start(self, program, share)
        options = list(program)[list(program).index(str(TRAIN)) + 1 :]
        return warm.start(options, environment=share.variables)

    return forked
