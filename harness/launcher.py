"""Start the ranks of a run: one process, several by torchrun on this node, or by the command of another launcher."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from harness.container import GPUS, Container
from harness.processes import PATIENCE, PATIENT, Process, Share, Torchrun, finish

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--no-python", "--nproc-per-node")
# Variables for libraries, which every rank gets. Visible GPUs are set by the launcher of the ranks.
PASSED = re.compile(
    r"(NCCL|RCCL|GLOO|UCX|FI|OMP|MKL|CUDA|HIP|ROCR|HSA|MIOPEN|PYTORCH|TORCH|TORCHINDUCTOR|TRITON)_|MASTER_ADDR$"
)
FIRST_PORT, PORTS = 20_000, 10_000  # below the ports that systems assign themselves
ANSWER = 60.0  # seconds for nodes to remove a folder
ALL = Share()


@dataclass(frozen=True)
class Launcher:
    """How ranks are started. `words` are the launcher's command, such as `srun --ntasks=64`, which starts one process
    for each rank; `{ranks}` in it is their number. Without it they run on this node. `python` runs scripts in Python.
    With a container, all of this is started in it."""

    ranks: int = 1
    words: tuple[str, ...] = ()
    python: str = sys.executable
    container: Container | None = None

    def command(self, program: Sequence[str]) -> list[str]:
        """Return the command that starts a program on every rank."""
        if not self.words:
            torchrun = [sys.executable, *TORCHRUN, str(self.ranks), "--"] if self.ranks > 1 else []
            return [*torchrun, *program]
        words = [word.replace("{ranks}", str(self.ranks)) for word in self.words]
        before, within = self.container.words(self.variables()) if self.container else ([], [])
        named = [f"{name}={value}" for name, value in self.variables().items()]
        return [*words, *before, "env", *named, *within, *program]

    def variables(self) -> dict[str, str]:
        """Return the variables that ranks under a launcher's command get, which may start them on other nodes. Each
        start has a port of its own."""
        found = {name: value for name, value in os.environ.items() if PASSED.match(name) and name not in GPUS}
        port = FIRST_PORT + int.from_bytes(os.urandom(4)) % PORTS
        found |= {"MASTER_PORT": str(port), "WORLD_SIZE": str(self.ranks)}
        return found | (self.container.facts if self.container else {})

    def start(self, program: Sequence[str], share: Share = ALL) -> Process:
        """Start a program on every rank and return at once."""
        if self.ranks > 1 and not self.words:
            return Torchrun(self.command(program), share)
        return Process(self.command(program), share, PATIENT if self.words else PATIENCE)

    def run(self, program: Sequence[str], share: Share = ALL) -> int:
        """Run a program on every rank to its end. Return the exit code; that of a signal is -number."""
        return finish(self.start(program, share))

    def ask(self, program: Sequence[str], share: Share = ALL) -> subprocess.CompletedProcess[str]:
        """Run a program on every rank to its end, and return it with what it printed."""
        environment = {**os.environ, **share.variables}
        command = self.command(program)
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", preexec_fn=share.claim
        )

    def remove(self, folder: str) -> None:
        """Remove a folder on the nodes where a launcher's command starts ranks. It stays if the command cannot be run,
        or does not end."""
        if self.words:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(self.command(["rm", "-rf", folder]), capture_output=True, timeout=ANSWER)


def launcher_words(text: str) -> tuple[str, ...]:
    """Return the words of a launcher's command. Raises ValueError for one with an open quote, or without words."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"--exec: found {text!r:.80} ({error}), wanted a command such as 'srun --ntasks=8'") from None
    if not words:
        raise ValueError("--exec: found no words, wanted a command such as 'srun --ntasks=8'")
    return words
