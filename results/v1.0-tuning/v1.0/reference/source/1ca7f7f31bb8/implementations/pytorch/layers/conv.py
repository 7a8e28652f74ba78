"""The convolution 3x3x3 with stride 1, whose weight gradient is a matrix product a tap where voxels are few.

In bfloat16, a CPU's library computes that gradient at a third of its rate where volumes have 4^3 voxels and weights
512 x 512 channels. A product over the voxels that a tap finds inside the volume also leaves out all multiplications by
the zeros around it, 42 % at 4^3 and 23 % at 8^3. Measured in docs/performance.md, with what was not faster; forward
passes and gradients of the input are the library's everywhere.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F
from torch.utils.flop_counter import register_flop_formula

VOXELS = 8**3  # of a sample's result, at most
WEIGHTS = 256**2  # of a tap, at least


class Conv3d(nn.Conv3d):
    """`nn.Conv3d` by way of `conv3d`, whose input may come in parts."""

    def forward(self, *parts: Tensor) -> Tensor:
        return conv3d(parts, self.weight, self.bias, self.padding)


def conv3d(parts: Sequence[Tensor], weight: Tensor, bias: Tensor | None, padding: Sequence[int]) -> Tensor:
    """`F.conv3d` with stride 1, weight (B, A, 3, 3, 3) and a padding of 0 or 1 by axis, of x (N, A, D, H, W) in parts.

    The parts, (N, A', D, H, W) each, have the channels of x one after the other's. Each is convolved with its own part
    of the weight, so x is never made; in bfloat16 their results are rounded before they are added.
    """
    if len(parts) == 1:
        return whole_conv3d(parts[0], weight, bias, padding)
    weights = weight.split([x.shape[1] for x in parts], dim=1)
    y = whole_conv3d(parts[0], weights[0], bias, padding)
    for x, part in zip(parts[1:], weights[1:], strict=True):
        y += whole_conv3d(x, part, None, padding)
    return y


def whole_conv3d(x: Tensor, weight: Tensor, bias: Tensor | None, padding: Sequence[int]) -> Tensor:
    """`conv3d` of x as a whole."""
    if bias is None and taps_pay(x, weight, padding):
        return TapConv3d.apply(x, weight, tuple(padding))
    return F.conv3d(x, weight, bias, padding=padding)


def taps_pay(x: Tensor, weight: Tensor, padding: Sequence[int]) -> bool:
    """Whether a matrix product a tap was measured to be the faster way to the weight gradient."""
    if type(x) is not Tensor or x.device.type != "cpu" or x.dtype != torch.bfloat16:
        return False  # a tensor without memory stands for any device's
    voxels = [extent + 2 * p - 2 for extent, p in zip(x.shape[2:], padding, strict=True)]
    return math.prod(voxels) <= VOXELS and weight.shape[0] * weight.shape[1] >= WEIGHTS


class TapConv3d(torch.autograd.Function):
    """`conv3d` without bias in the type of x, with a weight gradient in the type of the weight.

    A custom function keeps its operands only after it ran: where a block is run again up to what its convolution
    keeps, this convolution is run again too.
    """

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, padding: tuple[int, int, int]) -> Tensor:
        narrow = weight.to(x.dtype)
        ctx.save_for_backward(x, narrow)
        ctx.padding, ctx.dtype = padding, weight.dtype
        return F.conv3d(x, narrow, padding=padding)

    @staticmethod
    @once_differentiable
    def backward(ctx, dy: Tensor):
        (x, weight), padding, ones = ctx.saved_tensors, ctx.padding, [1, 1, 1]
        d_x = d_weight = None
        if ctx.needs_input_grad[0]:
            which = (True, False, False)
            d_x = torch.ops.aten.convolution_backward(
                dy, x, weight, None, ones, padding, ones, False, [0, 0, 0], 1, which
            )[0]
        if ctx.needs_input_grad[1]:
            d_weight = weight_gradient(x, dy, padding, ctx.dtype)
        return d_x, d_weight, None


@torch.library.custom_op("scaffold::conv3d_weight_gradient", mutates_args=())
def weight_gradient(x: Tensor, dy: Tensor, padding: Sequence[int], dtype: torch.dtype) -> Tensor:
    """x (N, A, D, H, W), dy (N, B, D', H', W') -> (B, A, 3, 3, 3) of a type, in channels-last memory.

    One operation to whoever counts FLOPs: as many as the convolution has.
    """
    x, dy = x.movedim(1, -1), dy.movedim(1, -1)
    taps = [
        [overlap(tap, *extents) for tap in range(3)]
        for extents in zip(dy.shape[1:4], x.shape[1:4], padding, strict=True)
    ]
    gradient = dy.new_empty((dy.shape[-1], 3, 3, 3, x.shape[-1]), dtype=dtype)
    for i, (from_d, to_d) in enumerate(taps[0]):
        for j, (from_h, to_h) in enumerate(taps[1]):
            for k, (from_w, to_w) in enumerate(taps[2]):
                read = x[:, from_d, from_h, from_w].flatten(0, 3)  # (voxels, A)
                made = dy[:, to_d, to_h, to_w].flatten(0, 3)  # (voxels, B)
                gradient[:, i, j, k] = made.T @ read
    return gradient.movedim(-1, 1)


@register_flop_formula(torch.ops.scaffold.conv3d_weight_gradient)
def weight_gradient_flops(x: Sequence[int], dy: Sequence[int], *_, **__) -> int:
    """Of the convolution, from the shapes of x and dy."""
    return 2 * 27 * x[1] * dy.numel()


def overlap(tap: int, made: int, read: int, padding: int) -> tuple[slice, slice]:
    """Along an axis: the voxels that a tap reads, and those that it contributes to. Voxel o reads o + tap - padding."""
    start, stop = max(0, padding - tap), min(made, read + padding - tap)
    return slice(start + tap - padding, stop + tap - padding), slice(start, stop)
