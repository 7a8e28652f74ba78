"""Run commands that report facts, all at once and with the same short time limit."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

SECONDS = 10.0  # for all of them together; nvidia-smi takes seconds where no driver is kept loaded
MOST = 64 << 10  # bytes of an answer: what a pipe holds, so that nobody has to read while the commands run


class Asked:
    """Commands that were started. A command that is not installed, fails or takes too long has no answer. Commands get
    no input, and only those environment variables that they need to be found and to answer in plain English."""

    def __init__(self, commands: Mapping[str, Sequence[str]], seconds: float = SECONDS):
        self.seconds, self.until = seconds, time.monotonic() + seconds
        self.started = {name: start(command) for name, command in commands.items()}

    def answer(self, name: str) -> str:
        """Return a command's output, once for each command. Raises ValueError with the reason if there is none."""
        process = self.started.pop(name)
        if isinstance(process, str):
            raise ValueError(process)
        try:
            code = process.wait(max(0.0, self.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            end(process)
            raise ValueError(f"no answer within {self.seconds:g} s") from None
        said = written(process)
        if code:
            raise ValueError(f"exit code {code}")
        return said.decode(errors="replace").strip()

    def close(self) -> None:
        """End the commands whose answers were not asked for."""
        for process in self.started.values():
            if not isinstance(process, str):
                end(process)
        self.started = {}


def start(command: Sequence[str]) -> subprocess.Popen[bytes] | str:
    """Start a command in a session of its own. Return its process, or why it cannot be started."""
    plain = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=plain,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as error:
        return error.strerror or str(error)


def written(process: subprocess.Popen[bytes]) -> bytes:
    """Return what a command that ended has written."""
    if process.stdout is None:
        return b""
    with process.stdout as pipe:
        os.set_blocking(pipe.fileno(), False)  # a child of its own may hold the other end
        return pipe.read(MOST) or b""


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and its children without waiting, since it may hang in the kernel."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout:
        process.stdout.close()
    process.poll()
