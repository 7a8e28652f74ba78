"""The CosmoFlow network (Mathuriya et al., SC 2018, arXiv:1808.04728) as MLPerf HPC defines it, for one device."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmark.cosmoflow.problem import PARAMETERS, Problem

from ..layers.blocks import Block

SLOPE = 0.3  # of the leaky ReLU
DENSE = (128, 64)  # outputs of the hidden dense layers
REACH = 1.2  # outputs are in (-REACH, REACH)


class SameConv3d(nn.Conv3d):
    """A convolution that keeps the extent of the volume: (N, C, D, H, W) -> (N, K, D, H, W).

    Zeros are put around it as TensorFlow does: with a `kernel` of 3 before and after, with one of 2 only after.
    """

    def __init__(self, channels_in: int, channels: int, kernel: int):
        super().__init__(channels_in, channels, kernel, padding=int(kernel == 3))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(F.pad(x, (0, 1) * 3) if self.kernel_size[0] == 2 else x)


class PoolReLU(nn.Module):
    """Leaky ReLU and max-pool: (N, C, D, H, W) -> (N, C, D/2, H/2, W/2). The maximum of a rising function is the
    function of the maximum, so pooling first gives the same numbers for an eighth of the work."""

    def forward(self, x: Tensor) -> Tensor:
        return F.leaky_relu(F.max_pool3d(x, 2), SLOPE)


class Flatten(nn.Module):
    """(N, C, D, H, W) -> (N, D H W C), the channels last, as the published network has them."""

    def forward(self, x: Tensor) -> Tensor:
        return x.movedim(1, -1).flatten(1)


class Head(nn.Linear):
    """A small dense layer in the precision of its weights, as bfloat16 has too few digits for what is predicted. Its
    product is written out, since autocast would round the usual one's: (N, inputs) -> (N, outputs)."""

    def forward(self, x: Tensor) -> Tensor:
        return (x.to(self.weight.dtype).unsqueeze(1) * self.weight).sum(2) + self.bias


class CosmoFlow(nn.Module):
    """Counts (N, C, D, H, W), as `to_input` gives them -> parameters (N, 4) in (-1.2, 1.2).

    `blocks` blocks of `width`, 2 `width`, ... channels on cubes of `side` voxels, a multiple of 2^blocks; then two
    dense layers with dropout, and the last.
    """

    def __init__(self, side: int, channels: int, width: int, blocks: int, kernel: int, dropout: float):
        super().__init__()
        widths = [channels, *(width << block for block in range(blocks))]
        self.blocks = nn.Sequential(*(Block(SameConv3d(a, b, kernel), PoolReLU()) for a, b in pairwise(widths)))
        self.flatten = Flatten()
        features = widths[-1] * (side >> blocks) ** 3
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in ((features, DENSE[0]), DENSE))
        self.dropout = nn.Dropout(dropout)
        self.head = Head(DENSE[1], PARAMETERS)
        initialize(self)

    def forward(self, x: Tensor) -> Tensor:
        x = self.flatten(self.blocks(x))
        for dense in self.hidden:
            x = self.dropout(F.leaky_relu(dense(x), SLOPE))
        return torch.tanh(self.head(x)) * REACH

    def penalty(self) -> Tensor:
        """The sum of the squares of the hidden dense layers' weights: the L2 term, before its factor."""
        return sum(dense.weight.square().sum() for dense in self.hidden)


def initialize(model: nn.Module) -> None:
    """Kernels Glorot-uniform (Glorot and Bengio 2010), biases 0."""
    for module in model.modules():
        if isinstance(module, nn.Conv3d | nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)


def build_model(problem: Problem, dropout: float) -> CosmoFlow:
    """The network that a problem prescribes, in channels-last memory, as its input comes."""
    p = problem
    model = CosmoFlow(p.side, p.channels, p.width, p.blocks, p.kernel, dropout)
    return model.to(memory_format=torch.channels_last_3d)


def to_input(counts: Tensor) -> Tensor:
    """Counts int16 (N, D, H, W, C) -> the network's input log(1 + counts), float32 (N, C, D, H, W), channels last."""
    return torch.log1p(counts.float()).movedim(-1, 1)
