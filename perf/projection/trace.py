"""Tracing one rank's step: the real task runs forward and backward over tensors that have shapes but no memory."""

import datetime
import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.distributed.fake_pg import FakeStore

from benchmark.workload import module_of
from implementations.pytorch.config import RunConfig
from implementations.pytorch.layers.blocks import Block, parameter_count, recompute_blocks
from implementations.pytorch.layers.norm import Kernels, NormReLU, gradient, gradient_sums, moments, normalize
from implementations.pytorch.parallel import gradients
from implementations.pytorch.parallel.layout import Layout, with_mesh
from implementations.pytorch.task import build_task
from perf.projection.op_costs import Operation
from perf.projection.record import Event, Record

Zeros = Callable[[int], tuple[Tensor, ...]]  # a batch of so many samples


@dataclass(frozen=True)
class Trace:
    """The operations and calls of a step of a rank in the middle of the volume, by phase: "forward", "backward" and
    "evaluation", each with its number. `kept` bytes are alive between forward and backward, `peak` bytes at most, both
    without weights, gradients and the optimizer's state."""

    samples: int
    parameters: int
    largest: int  # number of parameters of the largest block
    operations: tuple[tuple[Operation, int], ...]
    calls: tuple[tuple[Event, int], ...]
    kept: int
    peak: int

    def flops(self, *phases: str) -> int:
        """The FLOPs of matrix products and convolutions in some phases."""
        return sum(o.flops * times for o, times in self.operations if o.phase in phases)

    def halo(self, *phases: str) -> tuple[int, int]:
        """(number, bytes) of the messages to neighbours in some phases."""
        swaps = [(call, times) for call, times in self.calls if call.what == "exchange" and call.stage in phases]
        neighbours = (times * call.sent // call.bytes for call, times in swaps)
        return sum(neighbours), sum(times * call.sent for call, times in swaps)


@functools.lru_cache(maxsize=256)
def trace(problem: Any, config: RunConfig, boxes: tuple[int, int, int], replicas: int, samples: int) -> Trace:
    """The trace of a step with `samples` samples on a rank, whose volumes are split into `boxes`, and of the evaluation
    of one sample.

    Replicas only add to the sum of the loss, so more than two are traced as two. Raises RuntimeError if a process group
    exists already.
    """
    layout = Layout(min(replicas, 2), 0, *boxes)
    layout = replace(layout, rank=middle(layout))
    config = replace(config, sharding="ddp")  # operations do not depend on it; averaging is left out
    with prepared(problem, config, layout) as (layout, record, task, model, zeros):
        batch, one = zeros(samples), zeros(1)
        record.phase = "forward"
        with record:
            loss = task.loss(model.train(), batch, layout)
            kept, record.phase = record.live, "backward"
            loss.backward()
            peak, record.phase = record.peak, "evaluation"
        with torch.no_grad(), record:
            task.loss(model.eval(), one, layout)  # stands for the metric's counts, which cost as little
        counted = tuple(record.operations.items()), tuple(Counter(record.events).items())
        largest = max((parameter_count(m) for m in model.modules() if isinstance(m, Block)), default=0)
        return Trace(samples, parameter_count(model), largest, *counted, kept, peak)


def middle(layout: Layout) -> int:
    """The rank in the middle of the volume."""
    return layout.rank_at((0, *(extent // 2 for extent in layout.extents[1:])))


@contextmanager
def prepared(problem: Any, config: RunConfig, layout: Layout) -> Iterator[tuple[Layout, Record, Any, nn.Module, Zeros]]:
    """What a rank has before its first step, without memory: the layout with its groups, the record of what it does,
    the task, the model as runs parallelize it, and the function that makes its boxes of so many samples. Raises
    RuntimeError if a process group exists already."""
    config = replace(config, device="cpu")  # tensors without memory are alike on all devices
    with torch.device("meta"):
        model = build_task(problem, config).build_model()
    arrays = module_of(problem).blank(problem, layout.box(problem.shape))
    shapes = [(a.shape, torch.from_numpy(a[:0].copy()).dtype) for a in arrays]

    def zeros(samples: int) -> tuple[Tensor, ...]:
        return tuple(torch.zeros((samples, *shape), dtype=dtype) for shape, dtype in shapes)

    with recorded(layout) as (layout, record), FakeTensorMode():
        task = build_task(problem, config)
        with_gradients(model)
        fused_norms(model, record)
        with no_averaging():
            model = task.parallelize(model, layout)
        if config.recompute or config.recompute_norms:
            recompute_blocks(model, "block" if config.recompute else "norms")
        yield layout, record, task, model, zeros


def with_gradients(model: nn.Module) -> None:
    """Replace a meta-device model's tensors by fake ones on the CPU, in place. Every weight gets a gradient, as in the
    middle of a run."""

    def fake(tensor: Tensor) -> Tensor:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)

    for module in model.modules():
        for name, weight in module._parameters.items():
            if weight is not None:
                module._parameters[name] = nn.Parameter(fake(weight), weight.requires_grad)
                module._parameters[name].grad = fake(weight) if weight.requires_grad else None
        for name, buffer in module._buffers.items():
            module._buffers[name] = None if buffer is None else fake(buffer)


def fused_norms(model: nn.Module, record: Record) -> None:
    """Count each kernel of a norm as one sweep over its operands, as when it is compiled or works in cached slabs."""
    for module in model.modules():
        if isinstance(module, NormReLU):
            module.kernels = Kernels(*map(record.as_one, (moments, normalize, gradient_sums, gradient)))


@contextmanager
def no_averaging() -> Iterator[None]:
    """Replace DDP and FSDP2 by the plain model: they need real memory, and what they send is known."""
    with (
        mock.patch.object(gradients, "DistributedDataParallel", lambda model, **options: model),
        mock.patch.object(gradients, "shard", lambda model: model),
    ):
        yield


@contextmanager
def recorded(layout: Layout) -> Iterator[tuple[Layout, Record]]:
    """The layout with its groups of ranks, none of which is there, and the record of what this rank does. Raises
    RuntimeError if a process group exists already.

    oneDNN is left out, which takes a convolution in bfloat16 only where the processor has AVX-512, and keeps other
    copies of its operands than PyTorch's own convolution. So a projection does not depend on the machine that makes it.
    """
    record = Record()
    with fake_ranks(layout), torch.backends.mkldnn.flags(enabled=False, allow_tf32=None), record.calls():
        yield with_mesh(layout, "cpu", datetime.timedelta(seconds=9)) if layout.ranks > 1 else layout, record


@contextmanager
def fake_ranks(layout: Layout) -> Iterator[None]:
    """A fake process group of the layout's size, which sends nothing."""
    dist.init_process_group("fake", rank=layout.rank, world_size=layout.ranks, store=FakeStore())
    try:
        yield
    finally:
        dist.destroy_process_group()
