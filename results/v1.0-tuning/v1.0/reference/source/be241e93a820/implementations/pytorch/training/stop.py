"""End a run early: on all ranks together, when another rank is lost, and on signals."""

import os
import signal
import threading
from collections.abc import Callable

import torch.distributed as dist

from benchmark.launch import ending_signals
from benchmark.run.errors import Aborted, reason

from ..parallel.layout import Layout


def on_all_ranks(layout: Layout, what: str, act: Callable[[], object]) -> None:
    """Call `act` on every rank. Raises Aborted on all ranks if it raises OSError or ValueError on one of them. `what`
    begins the message."""
    try:
        act()
        failed = ""
    except (OSError, ValueError) as error:
        failed = f"rank {layout.rank}: {reason(error)}"
    if failures := list(filter(None, layout.gather(failed))):
        named = failures[:8] + [f"and {len(failures) - 8} more ranks"] * (len(failures) > 8)
        raise Aborted(f"{what}: {'; '.join(named)}")


def lost_peer(error: BaseException) -> bool:
    """Return whether a collective failed because another rank is gone."""
    text = str(error).lower()
    words = ("gloo", "nccl", "peer", "timed out")
    return isinstance(error, RuntimeError) and (
        isinstance(error, dist.DistError) or any(word in text for word in words)
    )


def watch_signals(on_signal: Callable[[signal.Signals], None]) -> None:
    """Call `on_signal` when a signal comes that ends a run, and end the process with 128 + number.

    This happens in a thread of its own, since the main thread may be blocked in a collective, where Python's handlers
    do not run.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    numbers = ending_signals()
    for number in numbers:
        signal.signal(number, lambda *_: None)  # without a handler nothing is written to the pipe
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def watch() -> None:
        while True:
            number = os.read(reader, 1)[0]
            if number in numbers:
                try:
                    on_signal(signal.Signals(number))
                finally:
                    os._exit(128 + number)

    threading.Thread(target=watch, daemon=True, name="signals").start()
