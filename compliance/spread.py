"""Judging the units of what was given in several processes.

A process is handed a whole submission where there are several, and returns what was found in it; a submission with a
large share of all logs is handed out in chunks of logs instead, and judged as a whole in the calling process. What
comes out does not depend on the number of processes.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import get_all_start_methods, get_context

from compliance.judging import Judged, Timed, Unit, judge_unit, timed

CHUNK = 32  # logs at most that are handed out at once
SHARES = 4  # chunks of a process, at least, so that no process waits long for the last one

Progress = Callable[[int, int], None]  # called with the logs that are done, and all of them

_UNITS: tuple[Unit, ...] = ()  # of a process that was started to judge


def judge_units(units: Sequence[Unit], jobs: int, progress: Progress | None = None) -> list[Judged]:
    """What each unit gives, in their order, by so many processes."""
    sizes = [unit.account.logs for unit in units]
    count = _Count(sum(sizes), progress)
    if jobs <= 1 or sum(sizes) < 2:
        return [judge_unit(unit, count.each(map(timed, unit.jobs()))) for unit in units]
    method = "fork" if "fork" in get_all_start_methods() else None  # in a sandbox, no program can be started
    with ProcessPoolExecutor(jobs, get_context(method), _hold, (tuple(units),)) as pool:
        return _spread(pool, units, sizes, jobs, count)


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


def _logs(parts: list[Future]) -> Iterator[Timed]:
    """The logs of the chunks, in their order. Where nobody wants more, chunks that were not begun are left."""
    try:
        for part in parts:
            yield from part.result()
    finally:
        for part in parts:
            part.cancel()


def _hold(units: tuple[Unit, ...]) -> None:
    """In a process that was started to judge: what there is to judge."""
    global _UNITS
    _UNITS = units
    gc.freeze()  # what was loaded before stays, and need not be looked through


def _part(at: int, start: int, count: int) -> list[Timed]:
    """Some logs of a unit."""
    return [timed(job) for job in islice(_UNITS[at].jobs(), start, start + count)]


def _whole(at: int) -> Judged:
    """A unit."""
    return judge_unit(_UNITS[at], map(timed, _UNITS[at].jobs()))


class _Count:
    """Tells somebody how many logs are done."""

    def __init__(self, total: int, progress: Progress | None):
        self.done, self.total, self.progress = 0, total, progress

    def add(self, logs: int) -> None:
        for _ in range(logs):
            self.done += 1
            if self.progress:
                self.progress(self.done, self.total)

    def each(self, logs: Iterable[Timed]) -> Iterator[Timed]:
        for log in logs:
            self.add(1)
            yield log
