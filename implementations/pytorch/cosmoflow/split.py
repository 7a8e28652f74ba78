"""Replace layers of CosmoFlow's model, which was written for one device, for samples that are split over ranks.

The blocks work on boxes: convolutions fetch halos, and pooling is local. The dense layers need whole samples, so every
rank of a replica computes them, from the same features and with the same dropout.
"""

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from ..parallel import spatial
from ..parallel.halo import Halo
from ..parallel.layout import Layout
from .model import Flatten, SameConv3d


class EvenHaloConv3d(nn.Module):
    """A `SameConv3d` with a kernel of 2 of a split volume, which needs the halo after its voxels alone:
    (N, C, D, H, W) -> (N, K, D, H, W), a rank's box each."""

    def __init__(self, conv: SameConv3d, layout: Layout):
        super().__init__()
        self.weight, self.bias, self.layout = conv.weight, conv.bias, layout

    def forward(self, x: Tensor) -> Tensor:
        x = Halo.apply(x, self.layout)
        for axis in range(3):
            if axis in self.layout.split_axes():
                x = x.narrow(2 + axis, 1, x.shape[2 + axis] - 1)
            else:
                x = F.pad(x, [int(side == 5 - 2 * axis) for side in range(6)])
        return F.conv3d(x, self.weight, self.bias)


class Gather(torch.autograd.Function):
    """A rank's box (N, d, h, w, C) -> the replica's whole volume (N, D, H, W, C), on all its ranks. The backward pass
    is the adjoint: a box's gradient is the sum of what all ranks have for it."""

    @staticmethod
    def forward(ctx, x: Tensor, layout: Layout) -> Tensor:
        ctx.layout = layout
        extents = layout.extents[1:]
        whole = x.new_zeros(len(x), *(n * e for n, e in zip(x.shape[1:4], extents, strict=True)), x.shape[4])
        ctx.cut = (
            slice(None),
            *(slice(p * n, (p + 1) * n) for p, n in zip(layout.place[1:], x.shape[1:4], strict=True)),
        )
        whole[ctx.cut] = x
        return layout.add_over_volume(whole)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor):
        return ctx.layout.add_over_volume(grad.clone())[ctx.cut], None


class SplitFlatten(nn.Module):
    """`Flatten` of a split volume: a rank's box (N, C, d, h, w) -> the whole's features (N, D H W C)."""

    def __init__(self, layout: Layout):
        super().__init__()
        self.layout = layout

    def forward(self, x: Tensor) -> Tensor:
        return Gather.apply(x.movedim(1, -1), self.layout).flatten(1)


class SharedDropout(nn.Module):
    """Dropout whose masks depend on the generator's state alone. Every rank draws the masks of a whole batch of up to
    `samples` samples, and uses the rows of its own samples. Runs seed generators by replica (`seed_dropout`), so the
    ranks that share a sample have the same masks for it."""

    def __init__(self, p: float, layout: Layout, samples: int):
        super().__init__()
        self.p, self.layout, self.samples = p, layout, samples

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.p:
            return x
        keep = torch.empty(self.samples, x.shape[1], dtype=x.dtype, device=x.device).bernoulli_(1 - self.p)
        mine = self.layout.share(range(self.samples))[: len(x)] or [0]  # none: the empty sample that counts for nothing
        return x * keep[mine] / (1 - self.p)


def split_samples(model: nn.Module, layout: Layout, samples: int) -> nn.Module:
    """Replace layers of `model` in place, for a rank's share of batches of up to `samples` samples and its box of each,
    and return it. Parameters keep their names. `spatial.split_volumes` replaces convolutions with a kernel of 3."""
    for name, child in model.named_children():
        if isinstance(child, nn.Dropout):
            setattr(model, name, SharedDropout(child.p, layout, samples))
        elif layout.boxes > 1 and isinstance(child, Flatten):
            setattr(model, name, SplitFlatten(layout))
        elif layout.boxes > 1 and isinstance(child, SameConv3d) and child.kernel_size[0] == 2:
            setattr(model, name, EvenHaloConv3d(child, layout))
        else:
            split_samples(child, layout, samples)
    return model


def parallelize(model: nn.Module, layout: Layout, samples: int, sharding: str = "ddp") -> nn.Module:
    """Return `model`, whose weights are equal on all ranks, for this rank. Gradients are averaged over all ranks."""
    if layout.ranks == 1:
        return model
    return spatial.parallelize(split_samples(model, layout, samples), layout, sharding)
