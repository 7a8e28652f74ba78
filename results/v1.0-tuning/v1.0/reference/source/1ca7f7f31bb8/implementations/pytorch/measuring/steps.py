"""What each step of an epoch waited for data and took otherwise, and what that comes to over all ranks."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from ..parallel.layout import Layout


class StepTimes:
    """Seconds of an epoch's steps on this rank, as the process sees them: a GPU may still be computing when a step is
    over here."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.computes: list[float] = []
        self.since = time.perf_counter()

    def add(self, waited: float) -> None:
        """A step is over, which waited so many seconds for its batches."""
        now = time.perf_counter()
        self.waits.append(waited)
        self.computes.append(max(0.0, now - self.since - waited))
        self.since = now

    def statistics(self, layout: Layout, seconds: float, device: str) -> dict[str, Any]:
        """For `tracked_stats` of an epoch that took so many seconds. All ranks call it.

        `wait_by_rank`: least, mean and most of what ranks waited; `slowest`: what the slowest rank of each step waited,
        summed over steps, as the others wait for that one at the step's end. None is more than the epoch's seconds.
        `step_compute_seconds`: least, nine deciles and most of this rank's steps without waiting.
        """
        waited = layout.gather(sum(self.waits))
        found = {"least": min(waited), "mean": sum(waited) / len(waited), "most": max(waited)}
        found["slowest"] = slowest(self.waits, layout, device)
        return {
            "wait_by_rank": {name: min(value, seconds) for name, value in found.items()},
            "step_compute_seconds": np.quantile(self.computes, np.linspace(0, 1, 11)).tolist(),
        }


def slowest(waits: Sequence[float], layout: Layout, device: str) -> float:
    """The sum over steps of what the rank waited that waited longest. All ranks call it, with as many steps."""
    if layout.ranks == 1:
        return sum(waits)
    most = torch.tensor(waits, dtype=torch.float64, device=device)
    dist.all_reduce(most, op=dist.ReduceOp.MAX)
    return most.sum().item()
