"""Batch norm (Ioffe and Szegedy 2015, arXiv:1502.03167) over groups of ranks, whose shares of a batch may differ.

PyTorch's SyncBatchNorm needs a GPU. This one adds up sums and counts, so a rank with more pixels has more weight, and a
rank without a sample has none. Its backward pass is the true adjoint, as parallel/layout.py requires.
"""

import datetime

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..parallel.layout import Layout


class GroupedBatchNorm(torch.autograd.Function):
    """x (N, C, H, W), weight (C,), bias (C,), eps, group -> the normalised x, mean (C,), variance (C,), count ().

    Statistics are over the samples of all the group's ranks (None: of this one), in float64, in which a difference of
    squares loses nothing that float32 has; the rest is in float32, or in x's type if that is wider. The last three
    outputs have no gradient.
    """

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, eps: float, group: dist.ProcessGroup | None):
        wide = torch.promote_types(x.dtype, torch.float32)
        x64 = x.double()
        sums = torch.cat([x64.sum((0, 2, 3)), x64.square().sum((0, 2, 3)), x64.new_full((1,), x.numel() / x.shape[1])])
        add(sums, group)
        count = sums[-1].clamp(min=1)
        mean, square = (sums[:-1] / count).view(2, -1)
        variance = (square - mean**2).clamp_(min=0)
        rstd = (variance + eps).rsqrt().to(wide)
        normal = (x.to(wide) - by_channel(mean.to(wide))) * by_channel(rstd)
        ctx.save_for_backward(normal, weight, rstd, count)
        ctx.group, ctx.dtype = group, x.dtype
        ctx.mark_non_differentiable(mean, variance, count)
        y = normal * by_channel(weight) + by_channel(bias)
        return y.to(x.dtype), mean, variance, sums[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, dy: Tensor, *_):
        normal, weight, rstd, count = ctx.saved_tensors
        dy = dy.to(normal.dtype)
        d_bias, d_weight = dy.sum((0, 2, 3)), (dy * normal).sum((0, 2, 3))
        sums = torch.cat([d_bias, d_weight]).double()
        add(sums, ctx.group)
        m0, m1 = (sums / count).to(dy.dtype).view(2, -1)
        dx = (dy - by_channel(m0) - normal * by_channel(m1)) * by_channel(weight * rstd)
        return dx.to(ctx.dtype), d_weight, d_bias, None, None


def add(sums: Tensor, group: dist.ProcessGroup | None) -> None:
    """The sum over a group's ranks, in place."""
    if group is not None:
        dist.all_reduce(sums, group=group)


def by_channel(values: Tensor) -> Tensor:
    """(C,) -> (1, C, 1, 1)."""
    return values.view(1, -1, 1, 1)


class RankBatchNorm(nn.Module):
    """Batch norm of a group of ranks in place of an nn.BatchNorm2d: same parameters and buffers under the same names.

    Running statistics follow the group's; a step at which all of its ranks are without a sample leaves them alone.
    """

    def __init__(self, norm: nn.BatchNorm2d, group: dist.ProcessGroup | None):
        super().__init__()
        self.weight, self.bias, self.eps, self.momentum = norm.weight, norm.bias, norm.eps, norm.momentum
        self.group = group
        for name in ("running_mean", "running_var", "num_batches_tracked"):  # the last unused
            self.register_buffer(name, getattr(norm, name))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or (self.group is None and len(x)):
            own = (self.running_mean, self.running_var, self.weight, self.bias)
            return nn.functional.batch_norm(x, *own, self.training, self.momentum, self.eps)
        y, mean, variance, count = GroupedBatchNorm.apply(x, self.weight, self.bias, self.eps, self.group)
        with torch.no_grad():
            step = self.momentum * (count > 0).double()
            unbiased = variance * (count / (count - 1).clamp(min=1))
            self.running_mean.copy_(torch.lerp(self.running_mean.double(), mean, step))
            self.running_var.copy_(torch.lerp(self.running_var.double(), unbiased, step))
        return y


def group_norms(model: nn.Module, layout: Layout, size: int, timeout_seconds: float) -> nn.Module:
    """Have every batch norm of `model` work over groups of `size` consecutive ranks, and return it. All ranks call it.

    Raises ValueError if the ranks don't fill the groups.
    """
    if layout.ranks % size:
        raise ValueError(f"batchnorm_group_size: found {size}, wanted a divisor of the {layout.ranks} ranks")
    group = None
    if size > 1:
        groups = [list(range(first, first + size)) for first in range(0, layout.ranks, size)]
        timeout = datetime.timedelta(seconds=timeout_seconds)
        group, _ = dist.new_subgroups_by_enumeration(groups, timeout=timeout)
    replace_norms(model, group)
    return model


def replace_norms(model: nn.Module, group: dist.ProcessGroup | None) -> None:
    """Replace every nn.BatchNorm2d below `model` by a RankBatchNorm."""
    for name, child in model.named_children():
        if isinstance(child, nn.BatchNorm2d):
            setattr(model, name, RankBatchNorm(child, group))
        else:
            replace_norms(child, group)


@torch.no_grad()
def average_statistics(model: nn.Module, layout: Layout) -> None:
    """Give all ranks the mean of their running statistics, as MLPerf HPC does: each has seen only its own samples."""
    if layout.ranks > 1:
        for buffer in model.buffers():
            if buffer.is_floating_point():
                buffer.copy_(layout.add(buffer.double()) / layout.ranks)
