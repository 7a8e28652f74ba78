"""End a run early: the errors that end it, their reasons, and signals."""

import os
import signal
import threading
from collections.abc import Callable

import torch.distributed as dist

from ..parallel.layout import Layout


class Aborted(Exception):
    """The run cannot or must not go on. The text says why. All ranks raise it together. Exit code 1."""


class WrongData(Exception):
    """The dataset is not the problem's. The text names the file, what was found and what was wanted. Exit code 2."""

    def __init__(self, reason: str, everywhere: bool = False):
        super().__init__(reason)
        self.everywhere = everywhere  # whether all ranks raise it together


def together(layout: Layout, what: str, act: Callable[[], object]) -> None:
    """Call `act` on every rank. Raises Aborted on all ranks if it raises OSError or ValueError on one of them. `what`
    begins the message."""
    try:
        act()
        failed = ""
    except (OSError, ValueError) as error:
        failed = f"rank {layout.rank}: {reason(error)}"
    if failed := "; ".join(filter(None, layout.gather(failed))):
        raise Aborted(f"{what}: {failed}")


def reason(error: BaseException) -> str:
    """Return in one line why something cannot be read or written."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename2 or error.filename or ''}: {error.strerror}".removeprefix(": ")
    return str(error).partition("\n")[0] or repr(error)


def lost_peer(error: RuntimeError) -> bool:
    """Return whether a collective failed because another rank is gone."""
    text = str(error).lower()
    return isinstance(error, dist.DistError) or any(word in text for word in ("gloo", "nccl", "peer", "timed out"))


def watch_signals(on_signal: Callable[[signal.Signals], None]) -> None:
    """Call `on_signal` when SIGTERM or SIGINT comes, and end the process with 128 + number.

    This happens in a thread of its own, since the main thread may be blocked in a collective, where Python's handlers
    do not run.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # without a handler nothing is written to the pipe
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def watch() -> None:
        while True:
            number = os.read(reader, 1)[0]
            if number in (signal.SIGTERM, signal.SIGINT):
                try:
                    on_signal(signal.Signals(number))
                finally:
                    os._exit(128 + number)

    threading.Thread(target=watch, daemon=True, name="signals").start()
