"""The early end of a run: errors that end it, their reasons, and signals."""

import os
import signal
import threading
from collections.abc import Callable

import torch.distributed as dist

from ..parallel.layout import Layout


class Aborted(Exception):
    """The run cannot go on or must not; the text says why. All ranks raise it together. Exit code 1."""


class WrongData(Exception):
    """The dataset is not what the problem says; the text names file, found and wanted. Exit code 2."""

    def __init__(self, reason: str, everywhere: bool = False):
        super().__init__(reason)
        self.everywhere = everywhere  # whether all ranks raise it together


def together(layout: Layout, what: str, act: Callable[[], object]) -> None:
    """Do it on every rank. Raises Aborted on all of them where one can't read or write."""
    try:
        act()
        failed = ""
    except (OSError, ValueError) as error:
        failed = f"rank {layout.rank}: {reason(error)}"
    if failed := "; ".join(filter(None, layout.gather(failed))):
        raise Aborted(f"{what}: {failed}")


def reason(error: BaseException) -> str:
    """Why something can't be read or written, in one line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename2 or error.filename or ''}: {error.strerror}".removeprefix(": ")
    return str(error).partition("\n")[0] or repr(error)


def lost_peer(error: RuntimeError) -> bool:
    """Whether a collective failed because another rank went away."""
    text = str(error).lower()
    return isinstance(error, dist.DistError) or any(word in text for word in ("gloo", "nccl", "peer", "timed out"))


def watch_signals(on_signal: Callable[[signal.Signals], None]) -> None:
    """Call `on_signal` in a thread of its own when SIGTERM or SIGINT comes, and end the process with 128 + number.

    A thread, because the main one may be blocked in a collective, where Python's handlers don't run.
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
