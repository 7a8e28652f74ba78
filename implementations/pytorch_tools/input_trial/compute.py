"""Emulate computation: how long each step computes, and what the cores do meanwhile."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.random import SeedSequence

from benchmark.log import Event, read_log
from benchmark.run.seeds import Stream

MOST = 10_000  # epochs or blocks that are taken from a log
LONGEST = 3600.0  # seconds of a step
TILE = 1 << 18  # numbers that spinning works on: 1 MiB, in the cores' own caches


@dataclass(frozen=True)
class ComputeTimes:
    """The distribution of the seconds that steps compute, without waiting for data. A step is drawn from one of the
    `tables`. A table has the quantiles of a distribution, evenly spaced from least to most."""

    tables: tuple[tuple[float, ...], ...]
    source: str

    @property
    def mean(self) -> float:
        """The mean seconds of a step."""
        return float(np.mean([np.trapezoid(t, dx=1 / (len(t) - 1)) if len(t) > 1 else t[0] for t in self.tables]))

    def draw(self, seed: int, epoch: int, steps: int) -> list[float]:
        """Draw the seconds of an epoch's steps. All ranks draw the same, as they compute equally long."""
        draw = np.random.default_rng(SeedSequence([seed, int(Stream.IO_TRIAL), epoch]))
        which, where = draw.integers(len(self.tables), size=steps), draw.random(steps)
        return [quantile(self.tables[i], at) for i, at in zip(which.tolist(), where.tolist(), strict=True)]


def quantile(table: tuple[float, ...], at: float) -> float:
    """Return the quantile `at`, from 0 to 1, interpolated between those of the table."""
    return float(np.interp(at * (len(table) - 1), range(len(table)), table))


def compute_times(seconds: float | None, log: Path | None) -> ComputeTimes:
    """Return constant times of `seconds`, or those of a log. Raises ValueError for a log without them."""
    if log is None:
        return ComputeTimes(((seconds or 0.0,),), "--compute-seconds")
    events, steps = [e for e in read_events(log) if isinstance(e.value, dict)], steps_of(log)
    tables = [table for e in events[:MOST] if (table := table_of(e, steps))]
    if not tables:
        raise ValueError(f"{log}: found no tracked_stats that say how long steps compute, wanted a log of train.py")
    return ComputeTimes(tuple(tables), log.name)


def read_events(log: Path) -> list[Event]:
    """Return the log's events `tracked_stats`. Raises ValueError if it cannot be read."""
    try:
        return [e for e in read_log(log) if isinstance(e, Event) and e.key == "tracked_stats"]
    except OSError as error:
        raise ValueError(f"{log}: {error.strerror}" if error.strerror else str(error)) from None


def steps_of(log: Path) -> int:
    """Return the number of steps of an epoch from the log's counts; 0 where it has none."""
    first = {}
    for e in read_log(log):
        if isinstance(e, Event) and e.key in ("train_samples", "global_batch_size"):
            first.setdefault(e.key, e.value)
    samples, batch = (first.get(key) for key in ("train_samples", "global_batch_size"))
    return math.ceil(samples / batch) if type(samples) is type(batch) is int and samples > 0 < batch else 0


def table_of(event: Event, steps: int) -> tuple[float, ...]:
    """Return the quantiles of an epoch's steps, or their mean where the log has no quantiles; for a block of --steps
    the mean; () for anything else."""
    stats: dict[str, Any] = event.value
    deciles, whole = stats.get("step_compute_seconds"), stats.get("compute_seconds")
    if type(deciles) is list and 1 < len(deciles) < 1000 and all(map(sound, deciles)):
        return tuple(sorted(map(float, deciles)))
    if sound(whole, LONGEST * 10**6) and steps:
        return (whole / steps,) if sound(whole / steps) else ()
    phases = stats.get("seconds")
    each, wait = stats.get("step_seconds"), phases.get("wait") if type(phases) is dict else None
    return (max(0.0, each - wait),) if sound(each) and sound(wait) else ()


def sound(seconds: Any, most: float = LONGEST) -> bool:
    """Return whether this is a time that a step could take."""
    return type(seconds) in (int, float) and 0 <= seconds <= most


def sleep(seconds: float, sizes: Sequence[int] = ()) -> float:
    """Emulate a step by sleeping, which leaves the cores to the readers, as DLIO does. Return the seconds."""
    time.sleep(seconds)
    return seconds


def spin(seconds: float, sizes: Sequence[int] = ()) -> float:
    """Emulate a step by computing on as many cores as training has threads. Return the seconds."""
    end = time.perf_counter() + seconds
    numbers = torch.ones(TILE)
    while time.perf_counter() < end:
        numbers.mul_(1.0)
    return seconds
