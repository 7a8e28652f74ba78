"""Gradients averaged over all ranks: DDP around a model, or FSDP2 with sharded weights."""

import contextlib
import functools
import warnings
from collections.abc import Iterator

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from ..layers.blocks import Block

LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def average_gradients(model: nn.Module, sharding: str = "ddp", **options) -> nn.Module:
    """`model`, whose weights are equal on all ranks, with gradients averaged over all of them.

    "ddp": every rank holds all weights, gradients and the optimizer's state. "fsdp": each holds its part of them, and
    gathers the weights of a block just before it runs. `options` are DDP's.
    """
    if sharding == "fsdp":
        return shard(model)
    same_strides(model)
    return DistributedDataParallel(model, gradient_as_bucket_view=True, **options)


def shard(model: nn.Module) -> nn.Module:
    """`model`, in place, with its weights as DTensors: blocks one by one, and what is left as a whole."""
    warnings.filterwarnings("ignore", ".*returned a view tensor")  # no layer works in place on a block's output
    device = next(model.parameters()).device.type
    mesh = DeviceMesh.from_group(dist.group.WORLD, device)  # no group of its own: ours has the run's timeout
    for p in model.parameters():
        p.data = p.data.contiguous()  # FSDP2 takes nothing else; convolutions bring them into their own order
    for block in [module for module in model.modules() if isinstance(module, Block)]:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def same_strides(model: nn.Module) -> None:
    """Let gradients have the strides of weights that are contiguous and channels-last at once.

    Kernels of one voxel are, or of one channel. Such a gradient comes with the strides of either, as the library and
    the precision like, and DDP would copy where they differ, and warn.
    """
    for p in model.parameters():
        if p.is_contiguous() and p.dim() in LAST and p.is_contiguous(memory_format=LAST[p.dim()]):
            p.register_hook(functools.partial(with_strides, strides=p.stride()))


def with_strides(grad: Tensor, strides: tuple[int, ...]) -> Tensor:
    """A gradient whose bytes are the same either way."""
    return grad.contiguous().as_strided(grad.shape, strides)


def plain_model(model: nn.Module) -> nn.Module:
    """The model inside whatever was put around it."""
    return getattr(model, "module", model)


def unsynchronized(model: nn.Module, last: bool) -> contextlib.AbstractContextManager:
    """The context of a backward pass: gradients add up on each rank, and are averaged in the `last` one of a batch."""
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(last)
        return contextlib.nullcontext()
    alone = isinstance(model, DistributedDataParallel) and not last
    return model.no_sync() if alone else contextlib.nullcontext()


@contextlib.contextmanager
def whole(model: nn.Module) -> Iterator[nn.Module]:
    """The plain model for evaluation: it communicates no weights, as ranks may have different numbers of batches.

    Sharded weights are gathered for as long; there are no gradients and few activations beside them.
    """
    parts = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for part in parts:
        part.set_reshard_after_forward(False, recurse=False)
        part.unshard()
    try:
        yield plain_model(model)
    finally:
        for part in parts:
            part.reshard()
            part.set_reshard_after_forward(part is not model, recurse=False)


def local(tensor: Tensor) -> Tensor:
    """A tensor, or this rank's part of a sharded one, which shares its memory."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
