"""The watchdog of a run ends a process whose device makes no progress because it waits for a rank that is gone.

Gloo's collectives raise an error when a rank is lost. NCCL's are kernels: they wait on the device, and the main thread
in whatever asks the device for a number. NCCL's own watchdog would end the process by SIGABRT, with nothing in the log.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

import torch


class Mark(Protocol):
    """A place in the device's stream of work, a `torch.cuda.Event`."""

    def query(self) -> bool:
        """Whether the device has come there."""


class Watchdog:
    """Calls `on_silence` with a reason and ends the process with exit code 1 when for `seconds` neither the main thread
    has come to a `beat` nor the device to the mark of one."""

    def __init__(self, seconds: float, on_silence: Callable[[str], None], mark: Callable[[], Mark]):
        self.seconds, self.on_silence, self.mark = seconds, on_silence, mark
        self.marks: deque[Mark] = deque()
        self.last = time.monotonic()
        threading.Thread(target=self.watch, daemon=True, name="watchdog").start()

    def beat(self) -> None:
        """The main thread is here, the device will be."""
        self.marks.append(self.mark())
        self.last = time.monotonic()

    def watch(self) -> None:
        """Look every so often."""
        while time.monotonic() - self.last < self.seconds:
            time.sleep(min(1.0, self.seconds / 10))
            while self.marks and self.marks[0].query():
                self.marks.popleft()
                self.last = time.monotonic()
        try:
            self.on_silence(f"no progress for {self.seconds:g} s: another rank ended or cannot be reached")
        finally:
            os._exit(1)


def cuda_mark() -> Mark:
    """Where the present stream of the present device is."""
    event = torch.cuda.Event()
    event.record()
    return event
