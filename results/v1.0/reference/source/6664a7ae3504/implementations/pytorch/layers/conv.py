"""The 3x3x3 convolution with stride 1, whose input may come in parts."""

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional as F


class Conv3d(nn.Conv3d):
    """`nn.Conv3d` by way of `conv3d`."""

    def forward(self, *parts: Tensor) -> Tensor:
        return conv3d(parts, self.weight, self.bias, self.padding)


def conv3d(parts: Sequence[Tensor], weight: Tensor, bias: Tensor | None, padding: Sequence[int]) -> Tensor:
    """`F.conv3d` with stride 1, weight (B, A, 3, 3, 3) and a padding of 0 or 1 by axis, of x (N, A, D, H, W) in parts.

    The parts, (N, A', D, H, W) each, have the channels of x one after the other's. Each is convolved with its own part
    of the weight, so x is never made; in bfloat16 their results are rounded before they are added.
    """
    if len(parts) == 1:
        return F.conv3d(parts[0], weight, bias, padding=padding)
    weights = weight.split([x.shape[1] for x in parts], dim=1)
    y = F.conv3d(parts[0], weights[0], bias, padding=padding)
    for x, part in zip(parts[1:], weights[1:], strict=True):
        y += F.conv3d(x, part, None, padding=padding)
    return y
