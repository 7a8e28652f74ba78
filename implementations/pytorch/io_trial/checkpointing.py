"""Checkpoints as I/O: the time and bytes of writing one, until it is on disk, and of reading it."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..input.reader import drop_cached_pages
from ..task import Evaluation
from ..training.checkpoint import NAME, POSITION
from ..training.position import load_position
from ..training.run import Run
from ..training.stop import together

EPOCH = 1


def measure_checkpoint(run: Run) -> dict[str, Any]:
    """Write a checkpoint of the run's state, as runs do, with fsync, and read it, its digests checked; then its pages
    were dropped from memory. Seconds are the slowest rank's. All ranks call it. Raises Aborted where it can't."""
    folder, layout = run.checkpoints.root / NAME.format(EPOCH), run.layout
    written = timed(run, lambda: run.checkpoints.save(run.state, layout, run.seed, EPOCH, Evaluation(0.0, {})))
    files = [path for path in folder.iterdir() if path.is_file()] if layout.rank == 0 else []
    together(layout, str(folder), lambda: layout.rank or drop_cached_pages(folder))
    resumed = replace(run.checkpoints, resumed=load_position(folder / POSITION))
    read = timed(run, lambda: resumed.restore(run.state, layout))
    size, parts = layout.gather((sum(p.stat().st_size for p in files), len(files) - 1))[0]
    found = {"written_seconds": written, "read_seconds": read, "bytes": size, "parts": parts}
    return found | {"sharding": run.config.sharding, "ranks": layout.ranks, "fsync": True}


def timed(run: Run, act: Callable[[], object]) -> float:
    """The seconds until all ranks have done it."""
    run.layout.barrier()
    start = time.perf_counter()
    act()
    return max(run.layout.gather(time.perf_counter() - start))
