"""The layout of ranks: who holds what, and how they add up. Everything that knows of more than one rank is here.

Samples are split over `data` replicas. The other three extents, of a sample's own box, are 1: a replica
is one rank. Code outside asks for "my share" and "the sum over all", and never for a rank.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from benchmark.launch import Launch


@dataclass(frozen=True)
class Layout:
    """data x depth x height x width ranks, and which of them this is. With one rank nothing communicates."""

    data: int
    rank: int = 0
    depth: int = 1
    height: int = 1
    width: int = 1

    @property
    def ranks(self) -> int:
        return self.data * self.depth * self.height * self.width

    @property
    def replica(self) -> int:
        """Which of the `data` replicas this rank belongs to."""
        return self.rank // (self.depth * self.height * self.width)

    def extents(self) -> dict[str, int]:
        """As the log has it."""
        return {"data": self.data, "depth": self.depth, "height": self.height, "width": self.width}

    def share(self, samples: Sequence[int]) -> list[int]:
        """This replica's samples of a batch or a split: over all replicas, each exactly once. May be empty."""
        return list(samples[self.replica :: self.data])

    def parallel(self, model: nn.Module) -> nn.Module:
        """`model` so that its gradients are averaged over ranks and its weights start equal."""
        if self.ranks == 1:
            return model
        return DistributedDataParallel(model, gradient_as_bucket_view=True)

    def add(self, sums: Tensor) -> Tensor:
        """The sum over ranks of a tensor, differentiable."""
        return sums if self.ranks == 1 else AllReduce.apply(sums)

    def gather(self, value: Any) -> list[Any]:
        """Every rank's `value`, in order of rank, on every rank."""
        if self.ranks == 1:
            return [value]
        values = [None] * self.ranks
        dist.all_gather_object(values, value)
        return values

    def barrier(self) -> None:
        """Return when every rank has come here."""
        self.gather(None)


class AllReduce(torch.autograd.Function):
    """A sum over ranks. Its adjoint is the same sum, over the gradients.

    So when every rank derives the same loss from the sum, each rank's gradients are `ranks` times what its
    own voxels contribute, and their average over ranks is the gradient of the loss: no factors anywhere,
    however unequal the shares are.
    """

    @staticmethod
    def forward(ctx, sums: Tensor) -> Tensor:
        sums = sums.clone()
        dist.all_reduce(sums)
        return sums

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad


def connect(launch: Launch, device: torch.device, timeout_seconds: float) -> Layout:
    """Join the process group, if there is more than one rank, and say where this rank stands in it."""
    if launch.world_size > 1:
        dist.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            rank=launch.rank,
            world_size=launch.world_size,
            timeout=datetime.timedelta(seconds=timeout_seconds),
        )
    return Layout(data=launch.world_size, rank=launch.rank)
