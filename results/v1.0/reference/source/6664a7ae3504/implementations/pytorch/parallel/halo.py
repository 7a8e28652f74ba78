"""Halo exchange: pad a box of a volume by one voxel from the boxes around it.

The axes are exchanged one after another. What an axis sends contains the halos of the axes before it, so edges and
corners arrive without messages of their own. There is one message for each neighbour and axis, and boxes may be as
small as one voxel.
"""

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd.function import once_differentiable

from .layout import Layout

LAST = torch.channels_last_3d


class Halo(torch.autograd.Function):
    """Pad x (N, C, D, H, W), a rank's box, by one voxel at both ends of every axis that is split.

    Voxels outside the volume are 0. The backward pass is the adjoint: gradients of the halo are sent back to the ranks
    that its values came from, and are added there.
    """

    @staticmethod
    def forward(ctx, x: Tensor, layout: Layout) -> Tensor:
        ctx.layout = layout
        return pad(x, layout)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor):
        return halo_backward(grad, ctx.layout), None


def pad(x: Tensor, layout: Layout) -> Tensor:
    """Return the padded box: `Halo`'s forward pass."""
    axes = layout.split_axes()
    shape = [n + 2 * (d - 2 in axes) for d, n in enumerate(x.shape)]
    memory = LAST if x.is_contiguous(memory_format=LAST) else torch.contiguous_format
    padded = torch.empty(shape, dtype=x.dtype, device=x.device, memory_format=memory)
    inside(padded, axes).copy_(x)
    for i, axis in enumerate(axes):
        planes = inside(padded, axes[i + 1 :]).movedim(2 + axis, 0)  # (extent + 2, ...), a view
        planes[0], planes[-1] = swap(planes[1], planes[-2], layout, axis)
    return padded


def halo_backward(grad: Tensor, layout: Layout) -> Tensor:
    """Return the gradient of the box: `Halo`'s backward pass, the adjoints of `pad`'s steps in reverse order.

    The result is a view of `grad`, which is changed. Only the convolution that read the padded box has that gradient,
    and a copy would be another sweep over the volume.
    """
    axes = layout.split_axes()
    for i, axis in reversed(list(enumerate(axes))):
        planes = inside(grad, axes[i + 1 :]).movedim(2 + axis, 0)
        from_previous, from_next = swap(planes[0], planes[-1], layout, axis)
        planes[1] += from_previous
        planes[-2] += from_next
    return inside(grad, axes)


def inside(x: Tensor, axes: list[int]) -> Tensor:
    """Return a view without the first and the last plane of these axes (0, 1, 2)."""
    for axis in axes:
        x = x.narrow(2 + axis, 1, x.shape[2 + axis] - 2)
    return x


def swap(to_previous: Tensor, to_next: Tensor, layout: Layout, axis: int) -> tuple[Tensor, Tensor]:
    """Send a plane (N, C, A, B) to each neighbour on an axis. Return the planes from the previous and from the next
    rank, with 0 where there is none.

    Messages have channels last, as the memory of a channels-last volume has, so that copying a plane is fast.
    """
    received, messages, line = [], [], layout.axis_group(axis)
    for step, plane in ((-1, to_previous), (1, to_next)):
        wire, peer = plane.movedim(1, -1).contiguous(), layout.neighbour(axis, step)
        received.append(torch.zeros_like(wire) if peer is None else torch.empty_like(wire))
        if peer is not None:
            messages.append(dist.P2POp(dist.isend, wire, peer, line))
            messages.append(dist.P2POp(dist.irecv, received[-1], peer, line))
    for message in dist.batch_isend_irecv(messages):
        message.wait()
    return received[0].movedim(-1, 1), received[1].movedim(-1, 1)
