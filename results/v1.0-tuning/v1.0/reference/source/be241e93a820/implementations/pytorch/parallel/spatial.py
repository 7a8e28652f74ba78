"""Replace layers of a model that was written for one device by layers for volumes that are split over ranks.

A 3x3x3 convolution fetches its halo, and GroupNorm adds up its statistics over the ranks that share a volume. All other
layers of a U-Net are local: boxes have an even extent wherever it pools, so no pooling window straddles two boxes.
"""

from torch import Tensor, nn

from ..layers.conv import conv3d
from ..layers.norm import GroupNormReLU, Normalization, NormReLU
from .gradients import average_gradients
from .halo import Halo
from .layout import Layout


class HaloConv3d(nn.Module):
    """A convolution 3x3x3 with padding 1 of a split volume: (N, C, D, H, W) -> (N, K, D, H, W), a rank's box each.

    Like `Conv3d`, it takes its input in parts, too; each part has a halo of its own.
    """

    def __init__(self, conv: nn.Conv3d, layout: Layout):
        super().__init__()
        if (conv.kernel_size, conv.stride, conv.padding) != ((3, 3, 3), (1, 1, 1), (1, 1, 1)):
            raise ValueError(f"found {conv}, wanted a kernel of 3 with stride and padding 1 to split volumes for")
        self.weight, self.bias, self.layout = conv.weight, conv.bias, layout
        self.padding = [int(axis not in layout.split_axes()) for axis in range(3)]

    def forward(self, *parts: Tensor) -> Tensor:
        padded = [Halo.apply(x, self.layout) for x in parts]
        return conv3d(padded, self.weight, self.bias, self.padding)


class VolumeNormReLU(nn.Module):
    """GroupNorm and ReLU with the statistics of the whole volume."""

    def __init__(self, norm: NormReLU, layout: Layout):
        super().__init__()
        self.weight, self.bias, self.layout = norm.weight, norm.bias, layout
        self.groups, self.eps, self.kernels = norm.num_groups, norm.eps, norm.kernels

    def forward(self, x: Tensor) -> Tensor:
        how = Normalization(self.groups, self.eps, self.kernels, self.layout)
        return GroupNormReLU.apply(x, self.weight, self.bias, how)


def split_volumes(model: nn.Module, layout: Layout) -> nn.Module:
    """Replace layers of `model` in place, for a rank's box of a volume, and return it. Parameters keep their names.

    Raises ValueError for a convolution that cannot be split.
    """
    for name, child in model.named_children():
        if isinstance(child, NormReLU):
            setattr(model, name, VolumeNormReLU(child, layout))
        elif isinstance(child, nn.Conv3d) and child.kernel_size != (1, 1, 1):
            setattr(model, name, HaloConv3d(child, layout))
        else:
            split_volumes(child, layout)
    return model


def parallelize(model: nn.Module, layout: Layout, sharding: str = "ddp") -> nn.Module:
    """Return `model`, whose weights are equal on all ranks, for this rank's share and box. Gradients are averaged over
    all ranks. `sharding` says which rank holds which weights."""
    if layout.ranks == 1:
        return model
    if layout.boxes > 1:
        split_volumes(model, layout)
    return average_gradients(model, sharding)
