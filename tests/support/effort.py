"""How much a function does, which no other process changes, and a guard against one that never ends."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TIMERS = {signal.ITIMER_VIRTUAL: (signal.SIGVTALRM, 1), signal.ITIMER_REAL: (signal.SIGALRM, 10)}


def lines_run(act: Callable[[], object]) -> int:
    """The number of lines that a function runs, with all that it calls. A turn of a loop counts, too."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


@contextmanager
def guarded(seconds: float = 20) -> Iterator[None]:
    """Stop what computes for so many seconds, or waits for ten times as many. Raises TimeoutError."""

    def stop(*_):
        raise TimeoutError("found it going on, wanted an end")

    before = {number: signal.signal(number, stop) for number, _ in TIMERS.values()}
    try:
        for timer, (_, times) in TIMERS.items():
            signal.setitimer(timer, seconds * times)
        yield
    finally:
        for timer in TIMERS:
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
