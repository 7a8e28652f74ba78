"""One training step, and the warm-up that comes before the clock starts."""

import contextlib
import itertools
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from benchmark.workload import module_of

from ..config import RunConfig
from ..input.prefetch import stack
from ..parallel.gradients import unsynchronized, whole
from ..parallel.layout import Layout
from ..task import Task, Tensors


def precise(config: RunConfig) -> contextlib.AbstractContextManager:
    """The context in which the network runs: autocast in bfloat16, or nothing."""
    return torch.autocast(config.device, dtype=torch.bfloat16, enabled=config.precision == "bfloat16")


def ieee_float32() -> None:
    """Have float32 be float32 on a GPU, in convolutions as in products of matrices.

    PyTorch lets convolutions round to TF32 (10 bits of mantissa) otherwise, and products not: "float32" would be
    neither. By its older switches, since what still reads those fails once the newer ones were used.
    """
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False


def float32_facts(device: str) -> dict[str, bool]:
    """What the log says of float32 beside the precision: on a GPU, whether anything may round to TF32."""
    backends = torch.backends
    return {"tf32": backends.cudnn.allow_tf32 or backends.cuda.matmul.allow_tf32} if device == "cuda" else {}


def train_step(
    task: Task,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    parts: Iterable[tuple[float, Tensors]],
    layout: Layout,
) -> Tensor:
    """One step on a batch in parts (weight, tensors), whose weights sum to 1: gradients of the weighted sum of their
    losses, clipped if the config says so, and the optimizer's step. The loss before the step."""
    optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for (weight, batch), last in with_last(parts):
        with unsynchronized(model, last):
            loss = task.loss(model, batch, layout)
            (loss if weight == 1 else loss * weight).backward()
        total = total + weight * loss.detach()
    if task.config.gradient_clip:
        nn.utils.clip_grad_norm_(model.parameters(), task.config.gradient_clip)
    optimizer.step()
    return total


def with_last(items: Iterable) -> Iterable[tuple]:
    """(item, whether it is the last)."""
    before, items = itertools.tee(items)
    next(items, None)
    return ((item, after is None) for item, after in itertools.zip_longest(before, items))


def warm_up(task: Task, model: nn.Module, layout: Layout) -> None:
    """Passes forward and backward over blank samples at every batch size that comes, so that
    libraries are loaded and have chosen their kernels before the clock starts. Weights and buffers stay as they are:
    the optimizer's step is tried on others."""
    problem, config = task.problem, task.config
    buffers = [b.clone() for b in model.buffers()]
    sizes = part_sizes(problem.train_samples, config)
    model.train()
    for size in (sizes[0], *sizes):
        task.loss(model, blank_batch(task, layout, len(layout.share(range(size)))), layout).backward()
        model.zero_grad(set_to_none=True)
    trial = nn.Linear(8, 8).to(config.device)
    trial(torch.ones(1, 8, device=config.device)).sum().backward()
    task.build_optimizer(trial).step()
    with whole(model) as plain:
        task.evaluate(plain.eval(), [blank_batch(task, layout, config.eval_batch_size)], layout)
    with torch.no_grad():
        for buffer, before in zip(model.buffers(), buffers, strict=True):
            buffer.copy_(before)


def part_sizes(samples: int, config: RunConfig) -> list[int]:
    """The different numbers of samples, over all ranks, that a part of a batch can have, the largest first."""
    batches = {min(config.batch_size, samples), samples % config.batch_size} - {0}
    sizes = {len(range(part, batch, config.accumulate)) for batch in batches for part in range(config.accumulate)}
    return sorted(sizes - {0}, reverse=True)


def blank_batch(task: Task, layout: Layout, samples: int) -> Tensors:
    """So many samples of zeros."""
    blank = module_of(task.problem).blank(task.problem, layout.box(task.problem.shape))
    return tuple(tensor.to(task.config.device) for tensor in stack([blank] * samples, blank))
