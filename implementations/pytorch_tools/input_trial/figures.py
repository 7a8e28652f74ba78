"""Compute the figures of a pass over the training split from what every rank counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmark.run.log import spread_of

from .counters import Reads


@dataclass(frozen=True)
class Pass:
    """A pass on one rank. For each step it has the seconds waited for data, the seconds computed (as asked for, or as
    measured on the network), and all its seconds. It also has the bytes of delivered arrays, what was read from files,
    and the bytes that the host's disk read."""

    host: str
    waits: tuple[float, ...]
    computed: tuple[float, ...]
    steps: tuple[float, ...]
    delivered: int
    reads: Reads
    disk: int | None

    @property
    def seconds(self) -> float:
        """The seconds of all steps."""
        return sum(self.steps)

    @property
    def parts(self) -> tuple[float, float, float]:
        """The seconds of the first step, those of all later ones, and the seconds computed in these."""
        return self.steps[0], sum(self.steps[1:]), sum(self.computed[1:])

    @property
    def utilization(self) -> float | None:
        """AU by DLIO's definition: computation over time, without the first step; None for a single step."""
        _, later, computed = self.parts
        return min(1.0, computed / later) if later > 0 else None


def joined(passes: Sequence[Pass]) -> Pass:
    """Join successive passes of one rank."""
    disks = [p.disk for p in passes]
    return Pass(
        passes[0].host,
        tuple(x for p in passes for x in p.waits),
        tuple(x for p in passes for x in p.computed),
        tuple(x for p in passes for x in p.steps),
        sum(p.delivered for p in passes),
        sum((p.reads for p in passes), Reads()),
        None if None in disks else sum(disks),
    )


def figures(ranks: Sequence[Pass], samples: int, utilizations: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return the figures of one pass, or of several joined ones, for the log. `ranks` has a pass of each rank.
    `utilizations` has each rank's AU pass by pass, whose mean is DLIO's."""
    seconds = max(p.seconds for p in ranks)
    waited = [sum(p.waits) for p in ranks]
    slowest = min(seconds, float(np.max([p.waits for p in ranks], axis=0).sum()))
    by_rank = [float(np.mean(found)) for found in utilizations if found]
    requests = [p.reads.calls for p in ranks]
    read = [p.reads.bytes for p in ranks]
    counted = all(p.disk is not None for p in ranks)
    return {
        "throughput": samples / seconds,
        "seconds": seconds,
        "au": spread(by_rank) if by_rank else None,
        "au_waiting": 1 - min(1.0, sum(waited) / sum(p.seconds for p in ranks)),
        "au_barrier": 1 - slowest / seconds,
        "wait_seconds": {
            **spread(waited),
            "slowest": slowest,
            "p50": max(float(np.quantile(p.waits, 0.5)) for p in ranks),
            "p99": max(float(np.quantile(p.waits, 0.99)) for p in ranks),
            "longest": max(max(p.waits) for p in ranks),
        },
        "logical_bytes": spread_of([p.delivered for p in ranks]),
        "read_bytes": spread_of(read),
        "physical_bytes": spread_of([p.reads.physical for p in ranks]) if counted else None,
        "disk_bytes": sum({p.host: p.disk for p in ranks}.values()) if counted else None,
        "requests": spread_of(requests),
        "request_bytes": sum(read) / sum(requests) if sum(requests) else None,
    }


def seconds_by_rank(parts: Sequence[tuple[float, float, float]]) -> dict[str, list[float]]:
    """Return what the AU of a pass follows from: the ranks' `Pass.parts`, for the log."""
    names = ("first_step_seconds", "later_seconds", "later_computed_seconds")
    return dict(zip(names, map(list, zip(*parts, strict=True)), strict=True))


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return least, mean and most of the ranks' values."""
    return {"least": min(values), "mean": sum(values) / len(values), "most": max(values)}
