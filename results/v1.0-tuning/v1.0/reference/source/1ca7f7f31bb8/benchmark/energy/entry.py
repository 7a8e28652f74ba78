"""The events of energy in a log: which counters are read, and what they say.

    energy_sources   [{node, source, scope, device, wraps_at, limit_watts} ...], metadata unreadable, rehearsal
    energy_reading   {"time_ms": [...], "joules": [...]}, an entry for each of the sources; metadata moment, epoch_num,
                     gap_seconds, faults

Joules are those since the first reading, unwrapped; null where a counter couldn't be read, and then `faults` says why.
A moment is the event that the reading belongs to: run_start, epoch_stop, ... run_stop. `gap_seconds` is the longest
time between two readings of the counters so far.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmark.energy.choice import Choice
from benchmark.energy.reader import Reading

SOURCES, READING = "energy_sources", "energy_reading"
MOMENTS = (
    *("run_start", "staging_start", "staging_stop", "epoch_start", "epoch_stop", "eval_start", "eval_stop"),
    "run_stop",
)


class Marked(NamedTuple):
    """A node's reading at a moment of the run; `facts` are metadata of the event that it belongs to."""

    moment: str
    facts: dict[str, Any]
    reading: Reading


def sources(node: str, choice: Choice) -> list[dict[str, Any]]:
    """A node's counters, as logs have them."""
    return [
        {
            "node": node,
            "source": counter.source,
            "scope": counter.scope,
            "device": counter.device,
            "wraps_at": counter.wraps_at,
            "limit_watts": counter.limit_watts,
        }
        for counter in choice.counters
    ]


def event(nodes: Sequence[Marked]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(value, metadata) of the reading of all nodes at one moment, in the order of the sources."""
    times, joules, faults = [], [], {}
    for _, _, reading in nodes:
        faults |= {str(len(joules) + at): why for at, why in reading.faults.items()}
        times += [reading.time_ms] * len(reading.joules)
        joules += reading.joules
    moment, facts, _ = nodes[0]
    gap = max(round(reading.gap, 3) for _, _, reading in nodes)
    more = {"faults": faults} if faults else {}
    return {"time_ms": times, "joules": joules}, {"moment": moment, **facts, "gap_seconds": gap, **more}
