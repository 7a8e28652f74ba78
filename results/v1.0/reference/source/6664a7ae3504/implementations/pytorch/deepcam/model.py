"""DeepLabv3+ (Chen et al. 2018, arXiv:1802.02611) with a modified Xception encoder, as MLPerf HPC's DeepCAM has it.

Written for one device; parallelism is applied from outside. Facts of the published network that its paper doesn't
give: blocks end in ReLU instead of starting with one, the skip is taken after the first block's ReLU, the branch of
the global average has a scale and a bias by channel instead of batch norm, the decoder upsamples by transposed
convolutions, and nothing but the decoder's last 1x1 convolution has a bias.
"""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

RATES = (1, 6, 12, 18)  # of the atrous branches; 1 is a convolution 1x1


def conv(channels_in: int, channels: int, size: int, stride: int = 1, rate: int = 1, groups: int = 1) -> nn.Conv2d:
    """A convolution without bias whose padding keeps H and W, but for the stride."""
    padding = rate * (size // 2)
    return nn.Conv2d(channels_in, channels, size, stride, padding, rate, groups, bias=False)


def separable(channels_in: int, channels: int, stride: int = 1, rate: int = 1) -> nn.Sequential:
    """A convolution 3x3 of each channel alone, then one 1x1 over channels."""
    deep = conv(channels_in, channels_in, 3, stride, rate, groups=channels_in)
    return nn.Sequential(deep, conv(channels_in, channels, 1))


def double(channels_in: int, channels: int) -> nn.ConvTranspose2d:
    """A transposed convolution 3x3: (N, channels_in, H, W) -> (N, channels, 2 H, 2 W)."""
    return nn.ConvTranspose2d(channels_in, channels, 3, 2, padding=1, output_padding=1, bias=False)


def normed(layer: nn.Module) -> list[nn.Module]:
    """A layer, batch norm and ReLU."""
    width = layer[-1].out_channels if isinstance(layer, nn.Sequential) else layer.out_channels
    return [layer, nn.BatchNorm2d(width), nn.ReLU(inplace=True)]


class XceptionBlock(nn.Module):
    """Separable convolutions of `widths` channels around a shortcut: (N, widths[0], H, W) -> (N, widths[-1], H, W).

    `tail` adds one more, bare, which has the `stride`. The sum's ReLU is left out without `relu`.
    """

    def __init__(self, *widths: int, stride: int = 1, tail: bool = False, relu: bool = True):
        super().__init__()
        first, last = widths[0], widths[-1]
        layers = [layer for a, b in pairwise(widths) for layer in normed(separable(a, b))][:-1]
        self.body = nn.Sequential(*layers, *([separable(last, last, stride)] if tail else []))
        same = first == last and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(*normed(conv(first, last, 1, stride))[:-1])
        self.relu = relu

    def forward(self, x: Tensor) -> Tensor:
        y = self.body(x) + self.shortcut(x)
        return F.relu_(y) if self.relu else y


class Xception(nn.Module):
    """The encoder: (N, inputs, H, W) -> the skip (N, 128 w, H / 4, W / 4), features (N, 2048 w, H / 16, W / 16)."""

    def __init__(self, inputs: int, w: Callable[[int], int], middle: int):
        super().__init__()
        self.stem = nn.Sequential(*normed(conv(inputs, w(32), 3, stride=2)), *normed(conv(w(32), w(64), 3)))
        self.entry = XceptionBlock(w(64), w(128), w(128), stride=2, tail=True)
        self.down = nn.Sequential(
            XceptionBlock(w(128), w(256), w(256), stride=2, tail=True),
            XceptionBlock(w(256), w(728), w(728), stride=2, tail=True),
        )
        self.middle = nn.Sequential(*(XceptionBlock(*[w(728)] * 4) for _ in range(middle)))
        pairs = pairwise((1024, 1536, 1536, 2048))
        wide = [layer for a, b in pairs for layer in normed(separable(w(a), w(b), rate=2))]
        self.exit = nn.Sequential(XceptionBlock(w(728), w(728), w(1024), tail=True, relu=False), *wide)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        skip = self.entry(self.stem(x))
        return skip, self.exit(self.middle(self.down(skip)))


class Scale(nn.Module):
    """A scale and a bias by channel."""

    def __init__(self, channels: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight + self.bias


class Pyramid(nn.Module):
    """Atrous spatial pyramid pooling: branches at four rates and a global one, (N, C, H, W) -> (N, channels, H, W)."""

    def __init__(self, channels_in: int, channels: int):
        super().__init__()
        sizes = [(1 if rate == 1 else 3, rate) for rate in RATES]
        self.branches = nn.ModuleList(
            nn.Sequential(*normed(conv(channels_in, channels, size, rate=rate))) for size, rate in sizes
        )
        self.whole = nn.Sequential(conv(channels_in, channels, 1), Scale(channels), nn.ReLU())
        self.join = nn.Sequential(*normed(conv((1 + len(RATES)) * channels, channels, 1)))

    def forward(self, x: Tensor) -> Tensor:
        whole = self.whole(x.mean((2, 3), keepdim=True)).expand(-1, -1, *x.shape[2:])
        return self.join(torch.cat([*(branch(x) for branch in self.branches), whole], dim=1))


class DeepLab(nn.Module):
    """(N, inputs, H, W) -> (N, classes, H, W) logits; H and W are multiples of 16.

    Published: 16 inputs, 3 classes, 16 `middle` blocks. All widths are the published ones over `divisor`, a power of
    two up to 8.
    """

    def __init__(self, inputs: int = 16, classes: int = 3, middle: int = 16, divisor: int = 1):
        super().__init__()
        if divisor not in (1, 2, 4, 8):
            raise ValueError(f"divisor: found {divisor}, wanted 1, 2, 4 or 8: all widths must be whole")

        def w(channels: int) -> int:
            return channels // divisor

        self.encoder = Xception(inputs, w, middle)
        self.pyramid = Pyramid(w(2048), w(256))
        self.skip = nn.Sequential(*normed(conv(w(128), w(48), 1)))
        self.rise = nn.Sequential(*normed(double(w(256), w(256))), *normed(double(w(256), w(256))))
        self.decoder = nn.Sequential(
            *normed(conv(w(256) + w(48), w(256), 3)),
            *normed(conv(w(256), w(256), 3)),
            nn.Conv2d(w(256), w(256), 1),
            *normed(double(w(256), w(256))),
            double(w(256), classes),
        )
        for part in (self.encoder, *self.pyramid.branches):
            part.apply(initialise)  # all other layers keep PyTorch's own, as published

    def forward(self, x: Tensor) -> Tensor:
        skip, x = self.encoder(x)
        x = self.rise(self.pyramid(x))  # (N, 256 w, H / 4, W / 4)
        return self.decoder(torch.cat([x, self.skip(skip)], dim=1))


def initialise(layer: nn.Module) -> None:
    """Normal weights of variance 2 / fan-in for a convolution (He et al. 2015, arXiv:1502.01852); batch norm starts
    with scale 1 and bias 0 anyway."""
    if isinstance(layer, nn.Conv2d):
        nn.init.kaiming_normal_(layer.weight)
