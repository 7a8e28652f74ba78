"""The watchdog ends a process whose device waits for a rank that is gone.

Gloo's collectives raise an error when a rank is lost. NCCL's collectives are kernels. They wait on the device, and the
main thread waits as soon as it asks the device for a number. NCCL's own watchdog would end the process by SIGABRT,
without an entry in the log.
"""

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

import torch


class Mark(Protocol):
    """A mark in the device's stream of work: a `torch.cuda.Event`."""

    def query(self) -> bool:
        """Return whether the device has reached the mark."""


class Watchdog:
    """Calls `on_silence` with a reason, and ends the process with exit code 1, if for `seconds` the main thread has not
    called `heartbeat` and the device has not reached the mark of an earlier one. Its thread calls `enter` first."""

    def __init__(
        self, seconds: float, on_silence: Callable[[str], None], mark: Callable[[], Mark], enter: Callable[[], object]
    ):
        self.seconds, self.on_silence, self.mark, self.enter = seconds, on_silence, mark, enter
        self.marks: deque[Mark] = deque()
        self.last = time.monotonic()
        threading.Thread(target=self.watch, daemon=True, name="watchdog").start()

    def heartbeat(self) -> None:
        """Report progress of the main thread, and set a mark for the device."""
        self.marks.append(self.mark())
        self.last = time.monotonic()

    def watch(self) -> None:
        """Watch for progress, in a thread of its own."""
        self.enter()
        while time.monotonic() - self.last < self.seconds:
            time.sleep(min(1.0, self.seconds / 10))
            with contextlib.suppress(RuntimeError):  # of a device that failed, which makes no progress
                while self.marks and self.marks[0].query():
                    self.marks.popleft()
                    self.last = time.monotonic()
        last = threading.Timer(self.seconds, os._exit, (1,))  # the main thread may hold the log's lock
        last.daemon = True
        last.start()
        try:
            self.on_silence(f"no progress for {self.seconds:g} s: another rank ended or cannot be reached")
        finally:
            os._exit(1)


def cuda_mark() -> Mark:
    """Return a mark in the current stream of the current device."""
    event = torch.cuda.Event()
    event.record()
    return event
