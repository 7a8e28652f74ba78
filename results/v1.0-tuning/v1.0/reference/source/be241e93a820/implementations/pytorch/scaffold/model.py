"""The 3D U-Net (Cicek et al. 2016, arXiv:1606.06650), written for one device; parallelism is applied from outside."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmark.scaffold.problem import Problem

from ..layers.blocks import Block
from ..layers.conv import Conv3d
from ..layers.norm import NormReLU

GROUPS = 8  # of every GroupNorm


def block(channels_in: int, channels: int) -> Block:
    """(conv 3x3x3, GroupNorm, ReLU) twice: (N, channels_in, D, H, W) -> (N, channels, D, H, W)."""
    return Block(
        Conv3d(channels_in, channels, 3, padding=1, bias=False),  # the norm has a bias already
        NormReLU(GROUPS, channels),
        Conv3d(channels, channels, 3, padding=1, bias=False),
        NormReLU(GROUPS, channels),
    )


class UpConv(nn.ConvTranspose3d):
    """A transposed convolution 2x2x2 with stride 2: (N, A, D, H, W) -> (N, B, 2 D, 2 H, 2 W).

    Its windows don't overlap: it is one matrix product, voxels by channels, whose rows hold 8 voxels each.
    """

    def forward(self, x: Tensor) -> Tensor:
        n, _, d, h, w = x.shape
        weight = self.weight.permute(2, 3, 4, 1, 0).flatten(0, 3)  # (8 B, A)
        y = F.linear(x.movedim(1, -1), weight, self.bias.repeat(8))  # (N, D, H, W, 8 B)
        y = y.view(n, d, h, w, 2, 2, 2, -1).permute(0, 1, 4, 2, 5, 3, 6, 7)
        return y.reshape(n, 2 * d, 2 * h, 2 * w, -1).movedim(-1, 1)


class Head(nn.Conv3d):
    """A convolution 1x1x1 as one matrix product: (N, A, D, H, W) -> (N, B, D, H, W)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x.movedim(1, -1), self.weight.flatten(1), self.bias).movedim(-1, 1)


def max_pool(x: Tensor) -> Tensor:
    """Max-pooling by 2, in the type of `x`: autocast would widen it on a CPU, which takes 5 times as long."""
    with torch.autocast(x.device.type, enabled=False):
        return F.max_pool3d(x, 2)


class UNet(nn.Module):
    """(N, channels, D, H, W) intensities, as `to_input` gives them -> (N, classes, D, H, W) logits.

    `levels`, 1 or more, down- and upsamplings by 2, so D, H and W are multiples of 2^levels; channels are
    `width` at full resolution and double with every level.
    """

    def __init__(self, classes: int, width: int, levels: int, channels: int = 1):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList(block(a, b) for a, b in zip([channels, *widths[:-2]], widths[:-1], strict=True))
        self.bottom = block(widths[-2], widths[-1])
        self.rise = nn.ModuleList(UpConv(2 * w, w, 2, stride=2) for w in reversed(widths[:-1]))
        self.up = nn.ModuleList(block(2 * w, w) for w in reversed(widths[:-1]))
        self.head = Head(width, classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        skips = []
        for down in self.down:
            skips.append(down(x))  # (N, width << level, side >> level, ...)
            x = max_pool(skips[-1])
        x = self.bottom(x)
        for rise, up in zip(self.rise, self.up, strict=True):
            x = up(skips.pop(), rise(x))  # joined in the block, or never: skip first
        return self.head(x)


def build_model(problem: Problem) -> UNet:
    """The network that a problem prescribes, in channels-last memory, in which its convolutions are fastest."""
    model = UNet(problem.classes, problem.width, problem.levels)
    return model.to(memory_format=torch.channels_last_3d)


def to_input(volume: Tensor) -> Tensor:
    """uint8 voxels (N, D, H, W) -> the network's input (N, 1, D, H, W), float32 in [-1, 1]."""
    return volume.unsqueeze(1).float().mul_(2 / 255).sub_(1)
