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


def average_gradients(model: nn.Module, sharding: str = "ddp") -> nn.Module:
    """Return `model`, whose weights are equal on all ranks, wrapped so that gradients are averaged over all ranks.

    With "ddp", every rank holds all weights, gradients and the optimizer's state. With "fsdp", each rank holds its
    part, and the weights of a block are gathered just before it runs.
    """
    if sharding == "fsdp":
        return shard(model)
    same_strides(model)
    return DistributedDataParallel(model, gradient_as_bucket_view=True)


def shard(model: nn.Module) -> nn.Module:
    """Shard the weights of `model` in place, as DTensors: those of each block, then all others together. Return it."""
    warnings.filterwarnings("ignore", ".*returned a view tensor")  # no layer changes a block's output in place
    device = next(model.parameters()).device.type
    mesh = DeviceMesh.from_group(dist.group.WORLD, device)  # not a new group, because this one has the run's timeout
    for p in model.parameters():
        p.data = p.data.contiguous()  # FSDP2 requires it; convolutions bring weights into their own order
    for block in [module for module in model.modules() if isinstance(module, Block)]:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def same_strides(model: nn.Module) -> None:
    """Give gradients the strides of their weights, for weights that are contiguous and channels-last at the same time.

    Kernels of one voxel or of one channel are such weights. Their gradients have the strides of either order, depending
    on library and precision. Where the strides differ, DDP would copy and warn.
    """
    for p in model.parameters():
        if p.is_contiguous() and p.dim() in LAST and p.is_contiguous(memory_format=LAST[p.dim()]):
            p.register_hook(functools.partial(with_strides, strides=p.stride()))


def with_strides(grad: Tensor, strides: tuple[int, ...]) -> Tensor:
    """Return a gradient with other strides, whose bytes are the same in both orders."""
    return grad.contiguous().as_strided(grad.shape, strides)


def plain_model(model: nn.Module) -> nn.Module:
    """Return the model inside a wrapper."""
    return getattr(model, "module", model)


def unsynchronized(model: nn.Module, last: bool) -> contextlib.AbstractContextManager:
    """Return the context of a backward pass. Only the `last` pass of a batch averages gradients over ranks."""
    if isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(last)
        return contextlib.nullcontext()
    alone = isinstance(model, DistributedDataParallel) and not last
    return model.no_sync() if alone else contextlib.nullcontext()


@contextlib.contextmanager
def unsharded(model: nn.Module) -> Iterator[nn.Module]:
    """Yield the plain model for evaluation, which does not communicate: ranks may have different numbers of batches.

    Sharded weights are gathered for as long as the context lasts. Memory suffices, since there are no gradients and few
    activations meanwhile.
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


def to_local(tensor: Tensor) -> Tensor:
    """Return a tensor, or this rank's part of a sharded one. The memory is shared."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
