"""Commands that are asked for facts: all at once, each with the same short time to answer."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

SECONDS = 0.8  # for all of them together
MOST = 64 << 10  # bytes of an answer: as much as a pipe holds, so that nobody has to read while they run


class Asked:
    """Commands that run from now on. One that is not installed, fails, says nothing or too much, or is too late, has no
    answer. None gets input, and of the environment what it needs to be found and to speak plainly."""

    def __init__(self, commands: Mapping[str, Sequence[str]], seconds: float = SECONDS):
        self.seconds, self.until = seconds, time.monotonic() + seconds
        self.started = {name: start(command) for name, command in commands.items()}

    def answer(self, name: str) -> str:
        """What a command said. Raises ValueError that says why there is no answer, once for each."""
        process = self.started.pop(name)
        if isinstance(process, str):
            raise ValueError(process)
        try:
            code = process.wait(max(0.0, self.until - time.monotonic()))
        except subprocess.TimeoutExpired:
            end(process)
            raise ValueError(f"no answer within {self.seconds:g} s") from None
        with process.stdout as pipe:
            os.set_blocking(pipe.fileno(), False)  # a child of its own may hold the other end
            said = pipe.read(MOST) or b""
        if code:
            raise ValueError(f"exit code {code}")
        return said.decode(errors="replace").strip()

    def close(self) -> None:
        """End those that nobody has waited for."""
        for process in self.started.values():
            if not isinstance(process, str):
                end(process)
        self.started = {}


def start(command: Sequence[str]) -> subprocess.Popen | str:
    """A command that runs in a session of its own; or why it can't be started."""
    plain = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1"}
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


def end(process: subprocess.Popen) -> None:
    """Kill a command and what it started. Nobody waits for it: it may hang in the kernel."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.poll()
