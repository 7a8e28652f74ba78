"""The rehearsal of one rank: groups, a step, an evaluation and a checkpoint over tensors without memory."""

import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException

from implementations.pytorch.config import RunConfig
from implementations.pytorch.layers.blocks import parameter_count
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import Evaluation
from implementations.pytorch.training import checkpoint
from implementations.pytorch.training.average import average_of
from implementations.pytorch.training.parts import share
from implementations.pytorch.training.state import TrainingState
from perf.projection.record import Event, Record, sum_gradients
from perf.projection.trace import Zeros, prepared

CANNOT = (DataDependentOutputException, DynamicOutputShapeException)  # numbers that tensors without memory do not have


@dataclass(frozen=True)
class Rehearsal:
    """What one rank would do. `memory` is bytes by kind; `large` are operations on tensors with 2^31 elements or more,
    of which `most` is the number of the largest; `checkpoint` are the bytes of this rank's part."""

    rank: int
    place: tuple[int, int, int, int]
    events: tuple[Event, ...]
    memory: dict[str, int]
    most: int
    large: tuple[str, ...]
    checkpoint: int

    @property
    def bytes(self) -> int:
        """The bytes of memory of all kinds."""
        return sum(self.memory.values())


def rehearse(problem: Any, config: RunConfig, layout: Layout) -> Rehearsal:
    """Rehearse the rank of `layout`. Raises RuntimeError if a process group exists already."""
    with prepared(problem, config, layout) as (layout, record, task, model, zeros):
        return run(problem, config, layout, record, task, model, zeros)


def run(
    problem: Any, config: RunConfig, layout: Layout, record: Record, task: Any, model: nn.Module, zeros: Zeros
) -> Rehearsal:
    """Go through a step, an evaluation and a checkpoint."""
    samples = len(layout.share(range(config.batch_size // config.accumulate)))
    last = sum_gradients(model, record) if layout.ranks > 1 else lambda: None
    average = average_of(model, config, problem.train_samples)
    optimizer = task.build_optimizer(model)
    for group in optimizer.param_groups:
        group["fused"] = False  # the fused ones have no version for tensors without memory
    loaded = zeros(samples)
    record.phase = "forward"
    with record:
        loss = task.loss(model.train(), loaded, layout)
        kept, record.phase = record.live, "backward"
        loss.backward()
        last()
        peak, record.phase = record.peak, "optimizer"
    del loss
    if config.gradient_clip:
        nn.utils.clip_grad_norm_(model.parameters(), config.gradient_clip)
    optimizer.step()
    if average:
        average.update(model)
    record.phase = "evaluation"
    with record, suppress(*CANNOT), mock.patch.object(torch, "bincount", counts):
        task.evaluate(model.eval(), [zeros(1)], layout)
    record.phase = "checkpoint"
    state = TrainingState(model, optimizer, average)
    part = save(state, problem, config, layout)
    moments = [t for values in optimizer.state.values() for t in values.values() if torch.is_tensor(t)]
    weights = 4 * parameter_count(model)
    memory = {
        "weights": weights,
        "gradients": weights,
        "optimizer": sum(t.nbytes for t in moments),
        "average": weights * bool(average),
        "batch": sum(t.nbytes for t in loaded),
        "kept for backward": kept,
        "at most beside it": peak - kept,
    }
    events, large = tuple(record.events), tuple(record.large)
    return Rehearsal(layout.rank, layout.place, events, memory, record.most, large, part)


def counts(numbers: Tensor, minlength: int) -> Tensor:
    """`torch.bincount`, whose result has a shape that tensors without memory do not say."""
    return torch.zeros(minlength, dtype=torch.int64)


def save(state: TrainingState, problem: Any, config: RunConfig, layout: Layout) -> int:
    """Write a checkpoint whose parts are empty. Return the bytes that this rank's part would have."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(checkpoint.parts, "write", lambda folder, tensors, rank, ranks: {}),
        mock.patch.object(checkpoint, "started", lambda log: 0),  # the log is not there
    ):
        origin = checkpoint.Origin(problem, config, Path(folder) / "result_0.txt")
        checkpoint.Checkpoints(Path(folder) / "checkpoints", origin).save(state, layout, 0, 1, Evaluation(0.0, {}))
    return sum(t.nbytes for t in share(state.tensors(), layout.rank, layout.ranks).values())
