"""The layout of ranks: who holds what. Code outside asks for "my share", "my box" and "the sum over all".

Samples are split over `data` replicas; the ranks of a replica split each of its samples over depth, height and
width, every rank a box of the same shape. Gradients have one convention: every collective's backward pass is its
true adjoint, every rank derives the same loss from sums over all ranks, so what a rank's backward pass gives is
`ranks` times its own part of the gradient, and the plain average over all ranks is the gradient of the loss.
"""

import datetime
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh

from benchmark.launch import Launch
from benchmark.workload import Box

Extents = tuple[int, int, int, int]
AXES = ("data", "depth", "height", "width")


@dataclass(frozen=True)
class Layout:
    """data x depth x height x width ranks, and which of them this is. With one rank nothing communicates.

    Ranks are numbered row by row, the width fastest, in tiles: ranks 0, 1, ... fill the first tile, then the
    next. The tile (1, 2, 2, 2) gives each node of 8 ranks a cube, the tile (data, 1, 1, 1) runs through the
    replicas first; (1, 1, 1, 1) is plain row by row. `connect` sets `mesh`, whose dimensions are `AXES`, and
    `replica_group`, all ranks of a replica.
    """

    data: int
    rank: int = 0
    depth: int = 1
    height: int = 1
    width: int = 1
    tile: Extents = (1, 1, 1, 1)
    mesh: DeviceMesh | None = field(default=None, compare=False, repr=False)
    replica_group: dist.ProcessGroup | None = field(default=None, compare=False, repr=False)

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
        """Ranks that a sample is split over."""
        return self.depth * self.height * self.width

    @property
    def place(self) -> Extents:
        """Where this rank stands: replica, then position in depth, height and width."""
        tiles = tuple(e // t for e, t in zip(self.extents, self.tile, strict=True))
        outer, inner = divmod(self.rank, math.prod(self.tile))
        pairs = zip(unravel(outer, tiles), self.tile, unravel(inner, self.tile), strict=True)
        return tuple(o * t + i for o, t, i in pairs)

    def rank_at(self, place: Sequence[int]) -> int:
        """The inverse of `place`."""
        tiles = tuple(e // t for e, t in zip(self.extents, self.tile, strict=True))
        outer = ravel([p // t for p, t in zip(place, self.tile, strict=True)], tiles)
        inner = ravel([p % t for p, t in zip(place, self.tile, strict=True)], self.tile)
        return outer * math.prod(self.tile) + inner

    def neighbour(self, axis: int, step: int) -> int | None:
        """The rank whose box is `step` (1 or -1) boxes away on axis 0, 1 or 2, or None: the volume ends there."""
        place = list(self.place)
        place[1 + axis] += step
        return self.rank_at(place) if 0 <= place[1 + axis] < self.extents[1 + axis] else None

    def line(self, axis: int) -> dist.ProcessGroup | None:
        """The group of the ranks in a line with this one along axis 0, 1 or 2 of a volume."""
        return self.mesh and self.mesh.get_group(AXES[1 + axis])

    def split_axes(self) -> list[int]:
        """The axes of a volume (0, 1, 2) that more than one rank shares."""
        return [axis for axis in range(3) if self.extents[1 + axis] > 1]

    def share(self, samples: Sequence[int]) -> list[int]:
        """This replica's samples of a batch or a split: over all replicas, each exactly once. May be empty."""
        return list(samples[self.place[0] :: self.data])

    def box(self, whole: tuple[int, int, int]) -> Box:
        """This rank's part of a volume of `whole` (D, H, W) voxels."""
        shape = tuple(side // extent for side, extent in zip(whole, self.extents[1:], strict=True))
        return Box(tuple(p * s for p, s in zip(self.place[1:], shape, strict=True)), shape)

    def add(self, sums: Tensor) -> Tensor:
        """The sum over all ranks of a tensor, differentiable."""
        return sums if self.ranks == 1 else AllReduce.apply(sums)

    def add_over_volume(self, sums: Tensor) -> Tensor:
        """The sum over the ranks that share this rank's samples, in place, not differentiable."""
        if self.boxes > 1:
            dist.all_reduce(sums, group=self.replica_group)
        return sums

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
    """The position of the index-th place, row by row."""
    position = []
    for extent in reversed(extents):
        index, at = divmod(index, extent)
        position.append(at)
    return tuple(reversed(position))


def ravel(position: Sequence[int], extents: Sequence[int]) -> int:
    """The inverse of `unravel`."""
    index = 0
    for at, extent in zip(position, extents, strict=True):
        index = index * extent + at
    return index


def connect(layout: Layout, launch: Launch, device: torch.device, timeout_seconds: float) -> Layout:
    """Join the process group, if there is more than one rank; the layout with its mesh."""
    if launch.world_size == 1:
        return layout
    timeout = datetime.timedelta(seconds=timeout_seconds)
    os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")  # not by SIGABRT, which logs nothing: see watchdog.py
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, rank=launch.rank, world_size=launch.world_size, timeout=timeout)
    return with_mesh(layout, device.type, timeout)


def with_mesh(layout: Layout, device: str, timeout: datetime.timedelta) -> Layout:
    """The layout with its mesh and its replica's group, over the process group that is there; all ranks must call it.

    A rank makes the groups that it is in and waits for their members alone. Those that `DeviceMesh` makes wait for a
    lost rank as long as the backend likes, half an hour; and every rank would take part in making every group, which
    are thousands on thousands of ranks.
    """
    places = (unravel(i, layout.extents) for i in range(layout.ranks))
    ranks = torch.tensor([layout.rank_at(place) for place in places]).view(layout.extents)

    def group(*axes: int) -> dist.ProcessGroup:
        mine = tuple(slice(None) if axis in axes else at for axis, at in enumerate(layout.place))
        return dist.new_group(ranks[mine].flatten().tolist(), timeout=timeout, use_local_synchronization=True)

    lines = [group(axis) for axis in range(len(AXES))]
    mesh = DeviceMesh.from_group(lines, device, ranks, mesh_dim_names=AXES)
    return replace(layout, mesh=mesh, replica_group=group(1, 2, 3) if layout.boxes > 1 else None)
