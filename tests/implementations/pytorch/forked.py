"""Runs of one or several ranks, forked from a warm process: real processes, which start without loading PyTorch.

Ranks get the variables that torchrun sets, and meet at a store of the tests' process, as they do at torchrun's.
"""

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

from implementations.pytorch.start import Forked, Warm, end

PATIENCE = 30.0  # seconds that torchrun gives the other ranks when one has failed
STEP = 0.02  # seconds between two looks


class Rank:
    """A forked process of train.py and what it says, with what tests need of `subprocess.Popen`'s methods."""

    def __init__(self, warm: Warm, arguments: Sequence[str], environment: Mapping[str, str]):
        self.files = [TemporaryFile("w+") for _ in range(2)]  # noqa: SIM115  they are read when the run is over
        run = warm.start(arguments, (0, *(file.fileno() for file in self.files)), environment)
        assert run, "the warm process is gone"
        self.run: Forked = run
        self.pid = run.pid
        self.poll, self.wait, self.kill, self.send_signal = run.poll, run.wait, run.kill, run.send_signal

    @property
    def returncode(self) -> int | None:
        """The exit code, once the end was awaited."""
        return self.run.returncode

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

    @property
    def returncode(self) -> int | None:
        """The same."""
        return self.poll()

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
            end(rank.run, ask=False)


def meeting(ranks: int) -> tuple[object, list[dict[str, str]]]:
    """A store where ranks meet, for as long as it is kept, and the variables of each rank."""
    from torch.distributed import TCPStore

    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    common = {"WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": store.port}
    common |= {"TORCHELASTIC_USE_AGENT_STORE": True, "TORCHELASTIC_RESTART_COUNT": 0}
    of_ranks = [{"RANK": rank, "LOCAL_RANK": rank, **common} for rank in range(ranks)]
    return store, [{name: str(value) for name, value in variables.items()} for variables in of_ranks]


def finished(
    warm: Warm, arguments: Sequence[str], ranks: int = 1, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess:
    """A run of train.py with these options, at its end, and what it said."""
    with Run(warm, arguments, ranks, environment or {}) as run:
        said = run.communicate()
        return subprocess.CompletedProcess(arguments, run.poll(), *said)
