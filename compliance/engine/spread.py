"""Judge units in several processes.

A worker judges one whole submission at a time. The logs of a submission with a large share of all logs are spread over
the workers in chunks instead, and the calling process judges the rest of it. The outcome does not depend on the number
of processes.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_all_start_methods, get_context

from compliance.engine.unit import Judged, Unit, judge_logs, judge_unit
from compliance.safe import tell
from compliance.verdict import LogVerdict

CHUNK = 32  # most logs in a chunk
SHARES = 4  # least number of chunks for each process, so that none waits long for the last one

Progress = Callable[[int, int], None]  # called with the number of logs done, and of all logs

_UNITS: tuple[Unit, ...] = ()  # in a worker: all units


def judge_units(units: Sequence[Unit], jobs: int, progress: Progress | None = None) -> list[Judged]:
    """Judge the units in `jobs` processes, and return the outcomes in the order of the units."""
    sizes = [unit.account.logs for unit in units]
    count = _Count(sum(sizes), progress)
    pool = _pool(units, jobs) if jobs > 1 and sum(sizes) > 1 else None
    if pool is None:
        return [judge_unit(unit, count.each(judge_logs(unit))) for unit in units]
    with pool:
        return _spread(pool, units, sizes, jobs, count)


def _pool(units: Sequence[Unit], jobs: int) -> ProcessPoolExecutor | None:
    """Return processes that hold all units; None, with a line on stderr, where several processes have no locks."""
    method = "fork" if "fork" in get_all_start_methods() else None  # in a sandbox, no program can be started
    try:
        return ProcessPoolExecutor(jobs, get_context(method), _hold, (tuple(units),))
    except (OSError, ImportError, NotImplementedError) as error:
        tell(f"one process reads the logs: several need locks, which are in /dev/shm ({error})")
        return None


def _spread(
    pool: ProcessPoolExecutor, units: Sequence[Unit], sizes: list[int], jobs: int, count: "_Count"
) -> list[Judged]:
    large = [at for at, size in enumerate(sizes) if size * 2 * jobs > sum(sizes)]
    others = sorted({*range(len(units))} - {*large}, key=lambda at: -sizes[at])
    chunk = max(1, min(CHUNK, sum(sizes) // (SHARES * jobs)))
    parts = {at: [pool.submit(_part, at, start, chunk) for start in range(0, sizes[at], chunk)] for at in large}
    whole = {pool.submit(_whole, at): at for at in others}
    done = {at: judge_unit(units[at], count.each(_logs(parts[at]))) for at in large}
    for future in as_completed(whole):
        done[whole[future]] = future.result()
        count.add(sizes[whole[future]])
    return [done[at] for at in range(len(units))]


def _logs(parts: list[Future[list[LogVerdict]]]) -> Iterator[LogVerdict]:
    """Yield the logs of the chunks in order. If the caller stops early, cancel the chunks that were not begun."""
    try:
        for part in parts:
            yield from part.result()
    finally:
        for part in parts:
            part.cancel()


def _hold(units: tuple[Unit, ...]) -> None:
    """Initialise a worker with all units."""
    global _UNITS
    _UNITS = units
    gc.freeze()  # objects loaded so far stay: exempt them from garbage collection


def _part(at: int, start: int, count: int) -> list[LogVerdict]:
    """Judge `count` logs of a unit, from log `start` on."""
    return list(judge_logs(_UNITS[at], start, count))


def _whole(at: int) -> Judged:
    """Judge a whole unit."""
    return judge_unit(_UNITS[at], judge_logs(_UNITS[at]))


class _Count:
    """Counts the logs that are done, and reports each to `progress`."""

    def __init__(self, total: int, progress: Progress | None):
        self.done, self.total, self.progress = 0, total, progress

    def add(self, logs: int) -> None:
        for _ in range(logs):
            self.done += 1
            if self.progress:
                self.progress(self.done, self.total)

    def each(self, logs: Iterable[LogVerdict]) -> Iterator[LogVerdict]:
        for log in logs:
            self.add(1)
            yield log
