"""Run several processes at once, and end those that are left when the caller ends."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence

from ..start import Process, end

PAUSE = 0.05  # seconds between two looks at the processes


def run_all(
    numbers: Sequence[int], most: int, begin: Callable[[int], Process], ended: Callable[[int, int], bool]
) -> bool:
    """Run a process for each number, at most `most` at once, and return whether all of them could be run.

    `begin(number)` starts a process. `ended(number, code)` is called at its end with its exit code. It returns whether
    the others would fail in the same way; then no further process is started.
    """
    todo, wrong = list(numbers), False
    with running() as processes:
        while processes or (todo and not wrong):
            while todo and not wrong and len(processes) < most:
                number = todo.pop(0)
                processes[number] = begin(number)
            over = [number for number, process in processes.items() if process.poll() is not None]
            for number in over:
                wrong |= ended(number, processes.pop(number).wait())
            if not over:
                time.sleep(PAUSE)
    return not wrong


@contextlib.contextmanager
def running() -> Iterator[dict[int, Process]]:
    """Yield a dict for processes by number. Those that are still in it at the end are ended."""
    processes: dict[int, Process] = {}
    try:
        yield processes
    finally:
        for process in processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process in processes.values():
            end(process)
