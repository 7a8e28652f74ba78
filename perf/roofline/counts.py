"""The counts of a training step of one rank: operations, memory traffic, messages by communicator, and input."""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from benchmark.run.layouts import Extents
from benchmark.run.log import AXES
from benchmark.workload import module_of
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from perf.projection.machine import System
from perf.projection.predict import OPTIMIZER_BYTES, STEP, node_ways, swaps
from perf.projection.search import best_of
from perf.projection.trace import Trace, trace

CHANNELS = ("memory", "link", "network", "storage")
GROUPS = {"norm": "replica", "rest": "world"}  # the ranks that a sum is over, by who sums


@dataclass(frozen=True)
class Counts:
    """A step of a rank in the middle of the volume. `messages` is {communicator: (number, bytes that the rank gives)};
    `moved` is the bytes by channel, `seconds` those of a step as predicted for a system, or measured."""

    problem: str
    layout: Layout
    config: RunConfig
    samples: int
    flops: int
    messages: dict[str, tuple[int, int]]
    moved: dict[str, float]
    seconds: float
    memory: int  # bytes of weights and activations at most, by the model
    counted: int | None = None  # bytes of memory traffic by hardware counters

    @property
    def rate(self) -> float:
        """FLOP/s of the rank."""
        return self.flops / self.seconds

    def intensity(self, channel: str) -> float:
        """FLOPs for each byte that goes through a channel; infinite where none goes."""
        return self.flops / self.moved[channel] if self.moved[channel] else math.inf


def count(problem: Any, config: RunConfig, system: System, extents: Extents) -> Counts:
    """The counts of a layout with its fastest tile, with the seconds that are predicted for a system. Raises ValueError
    for a layout that cannot be."""
    found = best_of(problem, config, system, extents)
    layout, config = found.layout, found.config
    traced = trace(problem, config, layout.extents[1:], layout.data, found.samples)
    parts, ranks = config.accumulate, layout.ranks
    memory = parts * sum(o.bytes * times for o, times in traced.operations if o.phase in STEP)
    inside, outside = wires(traced, system, layout)
    read = module_of(problem).file_bytes(problem) * config.batch_size / ranks
    moved = {
        "memory": memory + OPTIMIZER_BYTES * traced.parameters,
        "link": parts * inside,
        "network": parts * outside,
        "storage": read,
    }
    moved["network" if ranks > system.ranks_per_node else "link"] += summed(4 * traced.parameters, system, ranks)
    messages = {name: (parts * number, parts * size) for name, (number, size) in by_communicator(traced).items()}
    if ranks > 1:
        messages["gradients"] = (1, 4 * traced.parameters)
    return Counts(
        problem.name, layout, config, found.samples, found.flops, messages, moved, found.seconds.step, found.memory
    )


def by_communicator(traced: Trace) -> dict[str, tuple[int, int]]:
    """{communicator: (messages, bytes)} of a step without gradients: lines of ranks along an axis, the ranks of a
    replica, and all ranks. An exchange with both neighbours is one message to each."""
    numbers: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for (phase, _, axis, size), times in swaps(traced).items():
        if phase in STEP:
            peers = sum(traced.layout.neighbour(axis, step) is not None for step in (-1, 1))
            numbers[AXES[1 + axis]] += times * peers
            sizes[AXES[1 + axis]] += times * peers * size
    for message, times in traced.messages:
        if message.peer < 0 and message.phase in STEP:
            numbers[GROUPS[message.part]] += times
            sizes[GROUPS[message.part]] += times * message.bytes
    return {name: (numbers[name], sizes[name]) for name in (*AXES[1:], "replica", "world") if numbers[name]}


def wires(traced: Trace, system: System, layout: Layout) -> tuple[float, float]:
    """The bytes of halos that a rank sends inside its node, and to other nodes, of the ranks that send most."""
    ways = {axis: node_ways(layout, axis, system.ranks_per_node) for axis in layout.split_axes()}
    sent = [(ways[axis], size * times) for (phase, _, axis, size), times in swaps(traced).items() if phase in STEP]
    return sum(ways[0] * size for ways, size in sent), sum(ways[1] * size for ways, size in sent)


def summed(size: int, system: System, ranks: int) -> float:
    """The bytes that a rank sends of a sum of `size` bytes over all ranks, in rings over all of a node's paths."""
    return 2 * (ranks - 1) / ranks * size / (system.ranks_per_node if ranks > system.ranks_per_node else 1)


def ceilings(system: System, ranks: int) -> dict[str, float]:
    """{channel: bytes/s of a rank}, where so many ranks read at once."""
    nodes = -(-ranks // system.ranks_per_node)
    return {
        "memory": 1e9 * system.memory_gb_per_second,
        "link": 1e9 * system.link.gb_per_second,
        "network": 1e9 * system.network.gb_per_second,
        "storage": system.reading(nodes) / ranks,
    }
