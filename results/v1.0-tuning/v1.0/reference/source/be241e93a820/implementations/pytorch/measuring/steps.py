"""Measure how long each step of an epoch waited for data and how long it computed, over all ranks."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ..parallel.layout import Layout


class StepTimes:
    """The seconds of an epoch's steps on this rank, as the process sees them. A GPU may still be computing when a step
    ends here."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.computes: list[float] = []
        self.since = time.perf_counter()

    def add(self, waited: float) -> None:
        """Record the end of a step that waited `waited` seconds for its batches."""
        now = time.perf_counter()
        self.waits.append(waited)
        self.computes.append(max(0.0, now - self.since - waited))
        self.since = now

    def statistics(self, layout: Layout, seconds: float, device: str) -> dict[str, Any]:
        """Return the statistics for `tracked_stats` of an epoch that took `seconds`. All ranks call it.

        `wait_by_rank` has least, mean and most of the ranks' waiting, and `slowest`: the waiting of each step's slowest
        rank, summed over steps, since the others wait for that rank at the end of the step. None exceeds the epoch's
        seconds. `step_compute_seconds` has least, nine deciles and most of this rank's steps without waiting.
        """
        waited = layout.gather(sum(self.waits))
        found = {"least": min(waited), "mean": sum(waited) / len(waited), "most": max(waited)}
        found["slowest"] = slowest(self.waits, layout, device)
        return {
            "wait_by_rank": {name: min(value, seconds) for name, value in found.items()},
            "step_compute_seconds": np.quantile(self.computes, np.linspace(0, 1, 11)).tolist(),
        }


def slowest(waits: Sequence[float], layout: Layout, device: str) -> float:
    """Return the longest waiting of any rank in each step, summed over steps. All ranks call it, with as many steps."""
    if layout.ranks == 1:
        return sum(waits)
    most = torch.tensor(waits, dtype=torch.float64, device=device)
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    return most.sum().item()
