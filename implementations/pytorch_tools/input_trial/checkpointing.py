"""Measure checkpoints as I/O: the time and the bytes of writing one until it is on disk, and of reading it."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmark.run.reader import drop_cached_pages
from implementations.pytorch.task import Evaluation
from implementations.pytorch.training.checkpoint import METADATA, NAME
from implementations.pytorch.training.metadata import load_metadata
from implementations.pytorch.training.run import Run
from implementations.pytorch.training.stop import on_all_ranks

EPOCH = 1


def measure_checkpoint(run: Run) -> dict[str, Any]:
    """Write a checkpoint of the run's state as a run does, with fsync, drop its pages from memory, and read it with its
    digests checked. Return the measurement; seconds are the slowest rank's. All ranks call it. Raises Aborted if a
    checkpoint cannot be written."""
    checkpoints, layout = run.files.checkpoints, run.layout
    folder = checkpoints.root / NAME.format(EPOCH)
    written = timed(run, lambda: checkpoints.save(run.state, layout, run.seed, EPOCH, Evaluation(0.0, {})))
    files = [path for path in folder.iterdir() if path.is_file()] if layout.rank == 0 else []
    on_all_ranks(layout, str(folder), lambda: layout.rank or drop_cached_pages(folder))
    resumed = replace(checkpoints, resumed=load_metadata(folder / METADATA))
    read = timed(run, lambda: resumed.restore(run.state, layout))
    size, parts = layout.gather((sum(p.stat().st_size for p in files), len(files) - 1))[0]
    found = {"written_seconds": written, "read_seconds": read, "bytes": size, "parts": parts}
    return found | {"sharding": run.config.sharding, "ranks": layout.ranks, "fsync": True}


def timed(run: Run, act: Callable[[], object]) -> float:
    """Return the seconds until all ranks have called `act`."""
    run.layout.barrier()
    start = time.perf_counter()
    act()
    return max(run.layout.gather(time.perf_counter() - start))
