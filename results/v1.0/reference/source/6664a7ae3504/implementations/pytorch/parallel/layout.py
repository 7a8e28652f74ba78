"""The layout of ranks: which rank holds which samples and which box of them.

Samples are split over `data` replicas. The ranks of a replica split each of its samples over depth, height and width,
into boxes of the same shape. Other code asks the layout for its share, its box, and sums over ranks.

Gradients follow one convention. The backward pass of every collective is its true adjoint, and every rank computes the
same loss from sums over all ranks. So a rank's backward pass gives `ranks` times its own part of the gradient, and the
average over all ranks is the gradient of the loss.
"""

import datetime
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh

from benchmark.launch import Launch
from benchmark.run.layouts import Extents
from benchmark.run.log import AXES
from benchmark.workload import Box

# Errors end no process by SIGABRT, which logs nothing: see watchdog.py. Kernels of several communicators are ordered as
# their calls are, which is every rank's order, so that no two wait for each other.
NCCL = {"TORCH_NCCL_ASYNC_ERROR_HANDLING": "0", "TORCH_NCCL_ENABLE_MONITORING": "0", "NCCL_LAUNCH_ORDER_IMPLICIT": "1"}


@dataclass(frozen=True)
class Layout:
    """A layout of data x depth x height x width ranks, and the number of this rank. One rank does not communicate.

    Ranks fill the layout tile by tile, and within a tile row by row with the width fastest. The tile (1, 2, 2, 2) gives
    each node of 8 ranks a cube, (data, 1, 1, 1) runs through the replicas first, and (1, 1, 1, 1) is row by row.
    `connect` sets `mesh`, whose dimensions are `AXES`, and `replica_group`, the ranks of a replica.
    """

    data: int
    rank: int = 0
    depth: int = 1
    height: int = 1
    width: int = 1
    tile: Extents = (1, 1, 1, 1)
    mesh: DeviceMesh | None = field(default=None, compare=False, repr=False)
    replica_group: dist.ProcessGroup | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, extents: Extents, tile: Extents = (1, 1, 1, 1), rank: int = 0) -> "Layout":
        """Return the layout with these extents, by `AXES`."""
        data, *box = extents
        return cls(data, rank, *box, tile)

    def __deepcopy__(self, memo: dict) -> "Layout":
        return self  # a copy of a model still belongs to the same ranks

    @property
    def extents(self) -> Extents:
        return self.data, self.depth, self.height, self.width

    @property
    def ranks(self) -> int:
        return math.prod(self.extents)

    @property
    def boxes(self) -> int:
        """The number of ranks that a sample is split over."""
        return self.depth * self.height * self.width

    @property
    def place(self) -> Extents:
        """The place of this rank: replica, then position in depth, height and width."""
        tiles = tuple(e // t for e, t in zip(self.extents, self.tile, strict=True))
        outer, inner = divmod(self.rank, math.prod(self.tile))
        pairs = zip(unravel(outer, tiles), self.tile, unravel(inner, self.tile), strict=True)
        return tuple(o * t + i for o, t, i in pairs)

    def rank_at(self, place: Sequence[int]) -> int:
        """Return the rank at a place."""
        tiles = tuple(e // t for e, t in zip(self.extents, self.tile, strict=True))
        outer = ravel([p // t for p, t in zip(place, self.tile, strict=True)], tiles)
        inner = ravel([p % t for p, t in zip(place, self.tile, strict=True)], self.tile)
        return outer * math.prod(self.tile) + inner

    def neighbour(self, axis: int, step: int) -> int | None:
        """Return the rank whose box is `step` (1 or -1) boxes away on axis 0, 1 or 2, or None at the volume's end."""
        place = list(self.place)
        place[1 + axis] += step
        return self.rank_at(place) if 0 <= place[1 + axis] < self.extents[1 + axis] else None

    def axis_group(self, axis: int) -> dist.ProcessGroup | None:
        """Return the group of the ranks in a line with this one along axis 0, 1 or 2 of a volume."""
        return self.mesh and self.mesh.get_group(AXES[1 + axis])

    def split_axes(self) -> list[int]:
        """Return the axes of a volume (0, 1, 2) that are split over several ranks."""
        return [axis for axis in range(3) if self.extents[1 + axis] > 1]

    def share(self, samples: Sequence[int]) -> list[int]:
        """Return this replica's samples of a batch or a split, which may be none. Each sample has one replica."""
        return list(samples[self.place[0] :: self.data])

    def box(self, whole: tuple[int, int, int]) -> Box:
        """Return this rank's box of a volume of `whole` (D, H, W) voxels."""
        shape = tuple(side // extent for side, extent in zip(whole, self.extents[1:], strict=True))
        return Box(tuple(p * s for p, s in zip(self.place[1:], shape, strict=True)), shape)

    def add(self, sums: Tensor) -> Tensor:
        """Return a tensor's sum over all ranks, differentiable."""
        return sums if self.ranks == 1 else AllReduce.apply(sums)

    def add_over_volume(self, sums: Tensor) -> Tensor:
        """Sum a tensor over the ranks that share this rank's samples, in place, not differentiable. Return it."""
        if self.boxes > 1:
            dist.all_reduce(sums, group=self.replica_group)
        return sums

    def gather(self, value: Any) -> list[Any]:
        """Return every rank's `value`, in order of rank, on every rank."""
        if self.ranks == 1:
            return [value]
        values = [None] * self.ranks
        dist.all_gather_object(values, value)
        return values

    @torch.no_grad()
    def broadcast(self, tensor: Tensor, source: int) -> None:
        """Copy a tensor of the rank `source` to all ranks, whose tensors have its shape and type."""
        if self.ranks > 1:
            sent = tensor.to(self.mesh.device_type).contiguous()
            dist.broadcast(sent, source)
            tensor.copy_(sent)

    def broadcast_object(self, value: Any, source: int) -> Any:
        """Return the rank `source`'s value, on every rank. The others' values are not sent."""
        if self.ranks == 1:
            return value
        values = [value]
        dist.broadcast_object_list(values, source)
        return values[0]

    def barrier(self) -> None:
        """Wait until every rank has called this."""
        self.gather(None)


class AllReduce(torch.autograd.Function):
    """A sum over all ranks. Its adjoint is the same sum, over the gradients."""

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


def unravel(index: int, extents: Sequence[int]) -> tuple[int, ...]:
    """Return the position of the index-th place, row by row."""
    return tuple(map(int, np.unravel_index(index, extents)))


def ravel(position: Sequence[int], extents: Sequence[int]) -> int:
    """Return the index of a position, row by row."""
    return int(np.ravel_multi_index(tuple(position), extents))


def init_process_group(layout: Layout, launch: Launch, device: torch.device, timeout_seconds: float) -> Layout:
    """Join the process group, if there is more than one rank. Return the layout with its mesh."""
    if launch.world_size == 1:
        return layout
    timeout = datetime.timedelta(seconds=timeout_seconds)
    os.environ.update({**NCCL, **os.environ})
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, rank=launch.rank, world_size=launch.world_size, timeout=timeout)
    return with_mesh(layout, device.type, timeout)


def with_mesh(layout: Layout, device: str, timeout: datetime.timedelta) -> Layout:
    """Return the layout with its mesh and its replica's group, over the existing process group. All ranks must call it.

    A rank makes only the groups that it is in, and waits only for their members. With the groups that `DeviceMesh`
    makes itself, every rank would take part in making every group, thousands on thousands of ranks, and would wait for
    a lost rank for the backend's timeout of half an hour.
    """
    places = (unravel(i, layout.extents) for i in range(layout.ranks))
    ranks = torch.tensor([layout.rank_at(place) for place in places]).view(layout.extents)

    def group(*axes: int) -> dist.ProcessGroup:
        mine = tuple(slice(None) if axis in axes else at for axis, at in enumerate(layout.place))
        return dist.new_group(ranks[mine].flatten().tolist(), timeout=timeout, use_local_synchronization=True)

    lines = [group(axis) for axis in range(len(AXES))]
    mesh = DeviceMesh.from_group(lines, device, ranks, mesh_dim_names=AXES)
    return replace(layout, mesh=mesh, replica_group=group(1, 2, 3) if layout.boxes > 1 else None)
