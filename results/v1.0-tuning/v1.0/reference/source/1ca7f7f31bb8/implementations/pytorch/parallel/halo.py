"""Halo exchange: a box of a volume, padded by one voxel from the boxes around it.

Axis after axis: what an axis sends contains the halos of the axes before it, so edges and corners arrive without
messages of their own. Plain tensors, one message a neighbour and axis, right down to boxes of one voxel.
"""

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd.function import once_differentiable

from .layout import Layout

LAST = torch.channels_last_3d


class Halo(torch.autograd.Function):
    """x (N, C, D, H, W), a rank's box -> the box and one voxel more at both ends of every axis that is split.

    What lies outside the volume is 0. The backward pass is the adjoint: gradients of the halo go back to the ranks
    that its values came from, and are added there.
    """

    @staticmethod
    def forward(ctx, x: Tensor, layout: Layout) -> Tensor:
        ctx.layout = layout
        return pad(x, layout)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor):
        return fold(grad, ctx.layout), None


def pad(x: Tensor, layout: Layout) -> Tensor:
    """`Halo`'s forward pass."""
    axes = layout.split_axes()
    shape = [n + 2 * (d - 2 in axes) for d, n in enumerate(x.shape)]
    memory = LAST if x.is_contiguous(memory_format=LAST) else torch.contiguous_format
    padded = torch.empty(shape, dtype=x.dtype, device=x.device, memory_format=memory)
    inside(padded, axes).copy_(x)
    for i, axis in enumerate(axes):
        planes = inside(padded, axes[i + 1 :]).movedim(2 + axis, 0)  # (extent + 2, ...), a view
        planes[0], planes[-1] = swap(planes[1], planes[-2], layout, axis)
    return padded


def fold(grad: Tensor, layout: Layout) -> Tensor:
    """`Halo`'s backward pass: `pad`'s steps in reverse, each one's adjoint; a view of `grad`, which it changes.

    The gradient of a padded box comes from the one convolution that read it, and nobody else has it: a copy would be
    another sweep over the volume.
    """
    axes = layout.split_axes()
    for i, axis in reversed(list(enumerate(axes))):
        planes = inside(grad, axes[i + 1 :]).movedim(2 + axis, 0)
        from_previous, from_next = swap(planes[0], planes[-1], layout, axis)
        planes[1] += from_previous
        planes[-2] += from_next
    return inside(grad, axes)


def inside(x: Tensor, axes: list[int]) -> Tensor:
    """A view without the first and the last plane of these axes (0, 1, 2)."""
    for axis in axes:
        x = x.narrow(2 + axis, 1, x.shape[2 + axis] - 2)
    return x


def swap(to_previous: Tensor, to_next: Tensor, layout: Layout, axis: int) -> tuple[Tensor, Tensor]:
    """Send a plane (N, C, A, B) to each neighbour on an axis; what came from the previous and the next, 0 where there
    is none.

    Channels are last on the wire, as they are in the memory of a channels-last volume: copying a plane is fast then.
    """
    received, messages, line = [], [], layout.line(axis)
    for step, plane in ((-1, to_previous), (1, to_next)):
        wire, peer = plane.movedim(1, -1).contiguous(), layout.neighbour(axis, step)
        received.append(torch.zeros_like(wire) if peer is None else torch.empty_like(wire))
        if peer is not None:
            messages.append(dist.P2POp(dist.isend, wire, peer, line))
            messages.append(dist.P2POp(dist.irecv, received[-1], peer, line))
    for message in dist.batch_isend_irecv(messages):
        message.wait()
    return received[0].movedim(-1, 1), received[1].movedim(-1, 1)
