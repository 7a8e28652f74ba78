"""Make a training step, and warm up before the clock starts."""

import contextlib
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from benchmark.workload import module_of

from ..config import RunConfig
from ..input.order import evaluation_batches
from ..input.prefetch import stack
from ..parallel.gradients import unsharded, unsynchronized
from ..parallel.layout import Layout
from ..task import Task, Tensors


def autocast(config: RunConfig) -> contextlib.AbstractContextManager:
    """Return the context in which the network runs: autocast in bfloat16, or nothing."""
    return torch.autocast(config.device, dtype=torch.bfloat16, enabled=config.precision == "bfloat16")


def never_empty(batch: Tensors) -> tuple[Tensors, bool]:
    """Return a batch, or one sample of zeros in place of an empty batch, and whether the batch had samples. So a rank
    without a sample takes part in all communication."""
    if len(batch[0]):
        return batch, True
    return tuple(torch.zeros((1, *x.shape[1:]), dtype=x.dtype, device=x.device) for x in batch), False


def ieee_float32() -> None:
    """Compute in IEEE float32 on a GPU, in convolutions and in matrix products.

    By default PyTorch lets convolutions round to TF32 (10 bits of mantissa), but not matrix products. PyTorch's older
    switches are used, because code that reads them fails once the newer ones were set.
    """
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False


def float32_facts(device: str) -> dict[str, bool]:
    """Return what the log says of float32 beside the precision: on a GPU, whether anything may round to TF32."""
    backends = torch.backends
    return {"tf32": backends.cudnn.allow_tf32 or backends.cuda.matmul.allow_tf32} if device == "cuda" else {}


def train_step(
    task: Task,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    parts: Iterable[tuple[float, Tensors]],
    layout: Layout,
) -> Tensor:
    """Make one step on a batch, given in parts (weight, tensors) whose weights sum to 1. The gradient is that of the
    weighted sum of the parts' losses, clipped if the config says so. Return the loss before the step."""
    optimizer.zero_grad(set_to_none=True)
    total, parts = 0.0, list(parts)
    for number, (weight, batch) in enumerate(parts, 1):
        with unsynchronized(model, last=number == len(parts)):
            loss = task.loss(model, batch, layout)
            (loss if weight == 1 else loss * weight).backward()
        total = total + weight * loss.detach()
    if task.config.gradient_clip:
        nn.utils.clip_grad_norm_(model.parameters(), task.config.gradient_clip)
    optimizer.step()
    return total


def warm_up(task: Task, model: nn.Module, layout: Layout) -> None:
    """Run forward and backward passes on blank samples, at every batch size that the run will have, so that libraries
    are loaded and have chosen their kernels before the clock starts. Weights and buffers stay as they are: the
    optimizer's step is tried on another layer."""
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
    batches = evaluation_batches(layout, problem.split_samples("validation"), config.eval_batch_size)
    with unsharded(model) as plain:
        task.evaluate(plain.eval(), [blank_batch(task, layout, n) for n in sorted({*map(len, batches)})], layout)
    with torch.no_grad():
        for buffer, before in zip(model.buffers(), buffers, strict=True):
            buffer.copy_(before)


def part_sizes(samples: int, config: RunConfig) -> list[int]:
    """Return the different numbers of samples, over all ranks, that a part of a batch can have, largest first."""
    batches = {min(config.batch_size, samples), samples % config.batch_size} - {0}
    sizes = {len(range(part, batch, config.accumulate)) for batch in batches for part in range(config.accumulate)}
    return sorted(sizes - {0}, reverse=True)


def blank_batch(task: Task, layout: Layout, samples: int) -> Tensors:
    """Return a batch of `samples` samples of zeros."""
    blank = module_of(task.problem).blank(task.problem, layout.box(task.problem.shape))
    return tuple(tensor.to(task.config.device) for tensor in stack([blank] * samples, blank))
