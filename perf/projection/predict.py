"""Predicting the seconds and bytes of a step on a system from its trace.

Computing follows a roofline; a message takes latency + bytes / bandwidth. Only the averaging of gradients
(`System.overlap`) and reading ahead overlap with computing.
"""

import itertools
import math
from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any

from benchmark.run.layouts import Extents
from benchmark.run.log import AXES
from benchmark.workload import module_of
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from perf.projection.machine import System, Wire
from perf.projection.trace import Trace, middle, trace

WEIGHT_BYTES = 16  # a weight, its gradient and Adam's two moments in float32
OPTIMIZER_BYTES = 40  # moved per weight and step: three passes over its gradient to clip it, seven numbers for Adam
STEP = ("forward", "backward")
LADDER = ("no", "norms", "yes")  # of recomputation: each level keeps less memory and computes more


@dataclass(frozen=True)
class Seconds:
    """The seconds of a training step by part, divided as by `train.py --steps`. `halo`, `norm` and `reduction` are the
    time of messages; packing and unpacking them is in `forward` and `backward`. `evaluation` is one sample's total."""

    wait: float  # for input
    forward: float
    backward: float
    halo: float  # messages to neighbours
    norm: float  # sums of the norms' statistics, where ranks of a sample wait for each other
    reduction: float  # sums of gradients and of the loss, where replicas wait for each other
    optimizer: float
    evaluation: float

    @property
    def step(self) -> float:
        """The seconds of a training step."""
        return sum(getattr(self, f.name) for f in fields(self)) - self.evaluation


@dataclass(frozen=True)
class Prediction:
    """The predicted time and memory of a run, for a rank in the middle of the volume."""

    layout: Layout
    config: RunConfig
    seconds: Seconds
    traced: Trace
    epoch: float  # seconds
    flops: int  # of a step, recomputation included
    model_flops: int  # of a step, without recomputation
    messages: int  # to neighbours, in a step
    halo: int  # bytes to neighbours, in a step
    weights: int  # bytes of weights, gradients and the optimizer's state
    fits: bool

    @property
    def memory(self) -> int:
        """The peak memory of a rank in bytes, without libraries."""
        return self.weights + self.traced.peak


def predict(problem: Any, config: RunConfig, system: System, layout: Layout) -> Prediction:
    """The prediction for a layout and tile with the config's batch, accumulation, precision and recomputation.

    Raises ValueError if there are more replicas than samples in a part of a batch.
    """
    parts = config.accumulate
    samples = -(-config.batch_size // (parts * layout.data))
    if config.batch_size < parts * layout.data:
        found = f"found {layout.data} replicas for a batch of {config.batch_size} in {parts} parts"
        raise ValueError(f"{found}, wanted no more replicas than samples")
    traced = trace(problem, config, layout.extents[1:], layout.data, samples)
    plain = trace(problem, at_step(config, "no"), layout.extents[1:], layout.data, samples)
    nodes = -(-layout.ranks // system.ranks_per_node)
    seconds = step_seconds(traced, config, system, layout)
    read = module_of(problem).file_bytes(problem) / system.reading(nodes)  # seconds by sample, all ranks together
    seconds = replace(seconds, wait=max(0.0, read * config.batch_size - seconds.step))
    steps = -(-problem.train_samples // config.batch_size)
    evaluations = -(-problem.validation_samples // layout.data)
    evaluation = max(evaluations * seconds.evaluation, problem.validation_samples * read)
    messages, halo = traced.halo(*STEP)
    weights = weight_bytes(traced, config, layout)
    return Prediction(
        layout,
        config,
        seconds,
        traced,
        steps * seconds.step + evaluation,
        parts * traced.flops(*STEP),
        parts * plain.flops(*STEP),
        parts * messages,
        parts * halo,
        weights,
        weights + traced.peak <= system.room,
    )


def step_of(config: RunConfig) -> str:
    """The level of recomputation of a config: nothing, the norms of a block, or the whole block."""
    return "yes" if config.recompute else "norms" if config.recompute_norms else "no"


def at_step(config: RunConfig, step: str) -> RunConfig:
    """The config at a level of LADDER."""
    return replace(config, recompute=step == "yes", recompute_norms=step == "norms")


def weight_bytes(traced: Trace, config: RunConfig, layout: Layout) -> int:
    """The bytes of weights, gradients, optimizer state and moving average. With FSDP2 a rank keeps its part of them,
    and the full weights and gradients of the block that is running."""
    size = WEIGHT_BYTES + 4 * (config.average_epochs > 0)
    if config.sharding == "fsdp" and layout.ranks > 1:
        return size * traced.parameters // layout.ranks + 8 * traced.largest
    return size * traced.parameters


def optimizer_bytes(traced: Trace, config: RunConfig, layout: Layout) -> float:
    """The bytes that a rank's optimizer reads and writes in a step."""
    return OPTIMIZER_BYTES * traced.parameters / (layout.ranks if config.sharding == "fsdp" else 1)


def step_seconds(traced: Trace, config: RunConfig, system: System, layout: Layout) -> Seconds:
    """The seconds of a step by part, without reading. FSDP2 gathers weights twice and scatters sums of gradients, 1.5
    times what DDP sends, and its optimizer updates a rank's part of the weights."""
    worked, sent = work_seconds(traced, system), wire_seconds(traced, system, layout)
    sharded, parts = config.sharding == "fsdp", config.accumulate
    gradients = sum_seconds(4 * traced.parameters, system, layout) * (1.5 if sharded else 1)
    hidden = min(gradients, system.overlap * worked["backward"])  # averaged once, behind the last part

    waits = system.imbalance * (worked["forward"] + worked["backward"]) if layout.ranks > 1 else 0.0
    waits_at = "norm" if layout.boxes > 1 else "rest"  # the first sum that ranks meet at

    def messages(part: str) -> float:
        return parts * (sum(sent[phase, part] for phase in STEP) + waits * (part == waits_at))

    return Seconds(
        wait=0.0,
        forward=parts * worked["forward"],
        backward=parts * worked["backward"],
        halo=messages("halo"),
        norm=messages("norm"),
        reduction=gradients - hidden + messages("rest"),
        optimizer=optimizer_bytes(traced, config, layout)
        / (1e9 * system.memory_gb_per_second * system.optimizer_reached),
        evaluation=worked["evaluation"] + sum(sent["evaluation", part] for part in ("halo", "norm", "rest")),
    )


def work_seconds(traced: Trace, system: System) -> Counter[str]:
    """{phase: seconds of a rank's operations}. An operation takes the time of its FLOPs or of its bytes, whichever is
    longer, and a latency."""
    spent: Counter[str] = Counter()
    for operation, times in traced.operations:
        seconds = operation.bytes / system.bandwidth
        if operation.flops:
            seconds = max(seconds, operation.flops / system.flops(operation.precision))
        spent[operation.phase] += times * (seconds + system.operation_microseconds / 1e6)
    return spent


def wire_seconds(traced: Trace, system: System, layout: Layout) -> Counter[tuple[str, str]]:
    """{(phase, part): seconds of a rank's messages}. The exchange on each axis takes the time of a node's slowest
    rank."""
    spent: Counter[tuple[str, str]] = Counter()
    ways = {AXES[1 + axis]: node_ways(layout, axis, system.ranks_per_node) for axis in layout.split_axes()}
    for call, times in traced.calls:
        if call.what == "exchange":
            inside, outside = ways[call.group]
            seconds = max(way(system.link, inside, call.bytes), way(system.network, outside, call.bytes))
            spent[call.stage, "halo"] += times * seconds
        else:  # over the ranks of a sample a norm's statistics, over all ranks the loss
            part = "rest" if call.group == "world" else "norm"
            spent[call.stage, part] += times * sum_seconds(call.bytes, system, layout)
    return spent


def way(wire: Wire, messages: int, size: int) -> float:
    """The seconds of a number of messages of `size` bytes that a rank sends at once; 0 for none."""
    return wire.microseconds / 1e6 + messages * size / (1e9 * wire.gb_per_second) if messages else 0.0


def sum_seconds(size: int, system: System, layout: Layout) -> float:
    """The seconds of a sum of `size` bytes over all ranks: the latency of a tree, and the bandwidth of rings."""
    ranks, local = layout.ranks, system.ranks_per_node
    if ranks == 1:
        return 0.0
    rate, latency = system.link.gb_per_second, system.link.microseconds
    if ranks > local:
        rate, latency = min(rate, local * system.network.gb_per_second), system.network.microseconds
    messages = 2 * math.ceil(math.log2(ranks))  # one after another, up a tree and down again
    return messages * latency / 1e6 + 2 * (ranks - 1) / ranks * size / (1e9 * rate)


def node_ways(layout: Layout, axis: int, local: int) -> tuple[int, int]:
    """(inside, outside): the most neighbours on an axis that any rank of a node has inside and outside of the node, for
    a node in the middle of the volume."""
    first = middle(layout) // local * local
    node = range(first, min(layout.ranks, first + local))
    inside = outside = 0
    for rank in node:
        peers = [replace(layout, rank=rank).neighbour(axis, step) for step in (-1, 1)]
        inside = max(inside, sum(peer in node for peer in peers if peer is not None))
        outside = max(outside, sum(peer not in node for peer in peers if peer is not None))
    return inside, outside


def tiles(extents: Extents, local: int) -> list[Extents]:
    """The tiles with which a node's ranks form a box of the volume; the first numbers ranks row by row."""
    axes = [[n for n in range(1, extent + 1) if extent % n == 0 and local % n == 0] for extent in extents[1:]]
    return [(1, 1, 1, 1), *((1, *t) for t in itertools.product(*axes) if math.prod(t) == local and local > 1)]
