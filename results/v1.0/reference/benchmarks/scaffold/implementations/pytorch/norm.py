"""GroupNorm (Wu and He 2018, arXiv:1803.08494) fused with ReLU, for channels-last volumes.

The backward pass is written out: PyTorch's own takes 4 (float32) to 10 (bfloat16) times as long in this
memory format on a CPU. It needs two sums over the volume by sample and channel, and one pass more. Both passes
have a place for the sums of a volume that is split over ranks: one small all-reduce each.
"""

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from implementations.pytorch.layout import Layout

LAST = torch.channels_last_3d


class GroupNormReLU(torch.autograd.Function):
    """x (N, C, D, H, W), weight (C,), bias (C,), groups, eps -> relu(group_norm(x)), same shape and type.

    With a layout, x is a rank's box, and the statistics are those of the whole volume.
    """

    @staticmethod
    def forward(
        ctx, x: Tensor, weight: Tensor, bias: Tensor, groups: int, eps: float, layout: Layout | None = None
    ) -> Tensor:
        n, c = x.shape[:2]
        x = x.contiguous(memory_format=LAST)
        if layout is None:
            y, mean, rstd = torch.native_group_norm(x, weight, bias, n, c, x[0, 0].numel(), groups, eps)
        else:
            mean, rstd = volume_statistics(x, groups, eps, layout)
            y = affine(x, mean, rstd, weight, bias)
        y = torch.relu_(y.to(x.dtype))
        ctx.save_for_backward(x, y, mean, rstd, weight)
        ctx.layout = layout
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, dy: Tensor):
        x, y, mean, rstd, weight = ctx.saved_tensors
        n, c = x.shape[:2]
        groups = mean.numel() // n
        wide = torch.promote_types(x.dtype, torch.float32)
        x_rows, y_rows, dy_rows = rows(x), rows(y), rows(dy.contiguous(memory_format=LAST))  # (N, voxels, C)
        dy_rows = torch.ops.aten.threshold_backward(dy_rows, y_rows, 0)  # through the ReLU
        sum_dy = dy_rows.sum(1, dtype=wide)  # (N, C)
        sum_dy_x = (dy_rows * x_rows).sum(1, dtype=wide)  # (N, C)

        mean, rstd = mean.to(wide).view(n, groups, 1), rstd.to(wide).view(n, groups, 1)
        scale = weight.to(wide).view(1, groups, -1)
        shape = (n, groups, c // groups)
        # With z = (x - mean) rstd: sums of dy and of dy z by channel.
        s0 = sum_dy.view(shape)
        s1 = (sum_dy_x.view(shape) - mean * s0) * rstd
        d_weight, d_bias = s1.sum(0).view(c), s0.sum(0).view(c)
        # dx = rstd (scale dy - mean_g(scale dy) - z mean_g(scale dy z)): means over a group's channels and voxels.
        size = x_rows.shape[1] * (c // groups)
        means = torch.stack([(scale * s0).sum(2, keepdim=True), (scale * s1).sum(2, keepdim=True)]) / size
        if ctx.layout:
            means = ctx.layout.add_over_volume(means) / ctx.layout.boxes
        m0, m1 = means  # (N, groups, 1) each
        by_dy = (rstd * scale).expand(shape).reshape(n, 1, c)
        by_x = (-rstd * rstd * m1).expand(shape).reshape(n, 1, c)
        constant = (rstd * (mean * rstd * m1 - m0)).expand(shape).reshape(n, 1, c)
        dx = (dy_rows * by_dy).addcmul_(x_rows, by_x).add_(constant).to(x.dtype)
        dx = dx.view(n, *x.shape[2:], c).movedim(-1, 1)
        return dx, d_weight.to(weight.dtype), d_bias.to(weight.dtype), None, None, None


def volume_statistics(x: Tensor, groups: int, eps: float, layout: Layout) -> tuple[Tensor, Tensor]:
    """Mean and 1 / standard deviation (N, groups) of the volume that the ranks' boxes x (N, C, D, H, W) make up.

    Boxes are equally large, so means of boxes average to those of the volume. They are averaged in float64, in
    which the difference of squares loses nothing that float32 has.
    """
    n = len(x)
    wide = torch.promote_types(x.dtype, torch.float32)
    x_rows = rows(x)
    sums = torch.stack([x_rows.sum(1, dtype=wide), x_rows.to(wide).square().sum(1)]).double()  # (2, N, C)
    means = layout.add_over_volume(sums.view(2, n, groups, -1).mean(3) / (x_rows.shape[1] * layout.boxes))
    mean, variance = means[0], means[1] - means[0] ** 2
    return mean.to(wide), (variance.clamp_(min=0) + eps).rsqrt().to(wide)


def affine(x: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(x - mean) rstd weight + bias: x (N, C, D, H, W), mean and rstd (N, groups), in float32 or wider."""
    n, c = x.shape[:2]
    groups = mean.shape[1]
    scale = rstd.view(n, groups, 1) * weight.view(1, groups, -1)  # (N, groups, C / groups)
    shift = bias.view(1, groups, -1) - mean.view(n, groups, 1) * scale
    y = torch.addcmul(shift.view(n, 1, c), rows(x), scale.view(n, 1, c))
    return y.view(n, *x.shape[2:], c).movedim(-1, 1)


def rows(x: Tensor) -> Tensor:
    """(N, C, D, H, W) in channels-last memory -> (N, voxels, C), without a copy."""
    return x.movedim(1, -1).flatten(1, 3)


class NormReLU(nn.GroupNorm):
    """GroupNorm and ReLU as one layer; the shape is kept."""

    def forward(self, x: Tensor) -> Tensor:
        return GroupNormReLU.apply(x, self.weight, self.bias, self.num_groups, self.eps)
