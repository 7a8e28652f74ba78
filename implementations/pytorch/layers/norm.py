"""GroupNorm (Wu and He 2018, arXiv:1803.08494) fused with ReLU, for channels-last volumes.

The forward and the backward pass are two sweeps over memory each: one sums by channel, the other writes the result.
Between the sweeps there are only a few numbers by channel. They are added up over the ranks that share a volume by one
small all-reduce in each pass. PyTorch's own backward pass takes up to 10 times as long in this memory format.

Four functions have all the arithmetic on volumes. They run on a few planes at a time, so that temporaries stay in the
cache. `fuse_norms` has them compiled, which makes each a single loop.
"""

import functools
import warnings
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..parallel.layout import Layout

LAST = torch.channels_last_3d
SLAB = 2**18  # numbers that an eager kernel processes at a time


def moments(x: Tensor) -> Tensor:
    """x (N, D, H W, C) -> sums of x and x^2 over each plane, (N, D, 2, C), in float32 or wider."""
    x = widened(x)
    return torch.stack([x.sum(2), (x * x).sum(2)], 2)


def normalize(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """relu(scale x + shift): x (N, D, H W, C), scale and shift (N, 1, 1, C)."""
    return torch.addcmul(shift, widened(x), scale).relu_().to(x.dtype)


def gradient_sums(x: Tensor, dy: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Sums of dy and dy x over each plane, (N, D, 2, C), dy taken through the ReLU of `normalize`."""
    x = widened(x)
    dy = torch.where(torch.addcmul(shift, x, scale) > 0, widened(dy), 0)
    return torch.stack([dy.sum(2), (dy * x).sum(2)], 2)


def gradient(x: Tensor, dy: Tensor, scale: Tensor, shift: Tensor, coefficients: Tensor) -> Tensor:
    """by_dy dy + by_x x + constant, dy taken through the ReLU of `normalize`; coefficients (3, N, 1, 1, C)."""
    by_dy, by_x, constant = coefficients.unbind()
    wide = widened(x)
    dy = torch.where(torch.addcmul(shift, wide, scale) > 0, widened(dy), 0)
    return torch.addcmul(constant, dy, by_dy).addcmul_(wide, by_x).to(x.dtype)


def widened(x: Tensor) -> Tensor:
    """`x` in float32 or wider."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


class Kernels(NamedTuple):
    """The four functions, eager or compiled."""

    moments: Callable
    normalize: Callable
    gradient_sums: Callable
    gradient: Callable


def in_slabs(kernel: Callable) -> Callable:
    """Return `kernel` run on a few planes at a time, on a CPU."""

    def run(x: Tensor, *more: Tensor) -> Tensor:
        planes = max(1, SLAB // x[:, 0].numel()) if x.device.type == "cpu" else len(x[0])
        starts = range(0, x.shape[1], planes)
        parts = [kernel(*(a[:, i : i + planes] if a.shape == x.shape else a for a in (x, *more))) for i in starts]
        return parts[0] if len(parts) == 1 else torch.cat(parts, 1)

    return run


EAGER = Kernels(*map(in_slabs, (moments, normalize, gradient_sums, gradient)))


@functools.cache
def compiled() -> Kernels:
    """Return the kernels compiled by Inductor for all shapes. They are compiled at their first call."""
    import torch._inductor.config  # here, because it takes as long to load as the rest of PyTorch

    torch._inductor.config.compile_threads = 1  # no helper processes that outlive this one
    kernels = (torch.compile(kernel, dynamic=True) for kernel in (moments, normalize, gradient_sums, gradient))
    return Kernels(*map(detached, kernels))


def detached(kernel: Callable) -> Callable:
    """Return `kernel` run on tensors of one kind: it would be compiled once more for those that require gradients."""
    return lambda *tensors: kernel(*(x.detach() for x in tensors))


class Normalization(NamedTuple):
    """How to normalize: over how many groups, and by which kernels. With a layout, a volume is a rank's box, and the
    statistics are those of the whole one."""

    groups: int
    eps: float
    kernels: Kernels = EAGER
    layout: Layout | None = None


class GroupNormReLU(torch.autograd.Function):
    """x (N, C, D, H, W), weight (C,), bias (C,) -> relu(group_norm(x)), same shape and type."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor, how: Normalization) -> Tensor:
        x_planes = planes(x)
        mean, rstd = statistics(how.kernels.moments(x_planes), x_planes.shape[2], how)
        scale, shift = coefficients(mean, rstd, weight, bias)
        ctx.save_for_backward(x, mean, rstd, weight, bias)
        ctx.how = how
        return volume(how.kernels.normalize(x_planes, scale, shift), x.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx, dy: Tensor):
        x, mean, rstd, weight, bias = ctx.saved_tensors
        kernels, layout = ctx.how.kernels, ctx.how.layout
        scale, shift = coefficients(mean, rstd, weight, bias)
        x_planes, dy_planes = planes(x), planes(dy.to(x.dtype))
        sums = kernels.gradient_sums(x_planes, dy_planes, scale, shift).sum(1, dtype=torch.float64)  # (N, 2, C)
        # With z = (x - mean) rstd: sums of dy and of dy z by channel, (N, groups, C / groups) each.
        s0, s1 = sums.view(len(x), 2, mean.shape[1], -1).unbind(1)
        s1 = (s1 - mean * s0) * rstd
        d_weight, d_bias = s1.sum(0).flatten(), s0.sum(0).flatten()
        # dx = rstd (w dy - mean_g(w dy) - z mean_g(w dy z)): means over a group's channels and voxels.
        w = weight.double().view(1, mean.shape[1], -1)
        means = torch.stack([(w * s0).mean(2, keepdim=True), (w * s1).mean(2, keepdim=True)])
        means /= x[0, 0].numel() * (layout.boxes if layout else 1)
        m0, m1 = layout.add_over_volume(means) if layout else means  # (N, groups, 1) each
        by_x = (-rstd * rstd * m1).expand_as(s0)
        constant = (rstd * (mean * rstd * m1 - m0)).expand_as(s0)
        by_channel = torch.stack([by_channel_of(a, scale.dtype) for a in (rstd * w, by_x, constant)])
        dx = kernels.gradient(x_planes, dy_planes, scale, shift, by_channel)
        parameters = d_weight.to(weight.dtype), d_bias.to(bias.dtype)
        return volume(dx, x.shape), *parameters, None


def statistics(plane_sums: Tensor, plane: int, how: Normalization) -> tuple[Tensor, Tensor]:
    """Mean and 1 / standard deviation, float64 (N, groups, 1), from `moments` of planes of `plane` voxels.

    With a layout, of the whole volume: boxes are equally large, so their means average to those of the volume.
    Sums are taken by plane in float32, which stops counting at 2^24, and over planes, groups and ranks in float64,
    in which the difference of squares loses nothing that float32 has.
    """
    n, depth = plane_sums.shape[:2]
    means = plane_sums.sum(1, dtype=torch.float64).view(n, 2, how.groups, -1).mean(3, keepdim=True) / (depth * plane)
    if how.layout:
        means = how.layout.add_over_volume(means.div_(how.layout.boxes))
    mean, square = means.unbind(1)
    return mean, ((square - mean**2).clamp_(min=0) + how.eps).rsqrt()


def coefficients(mean: Tensor, rstd: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """scale and shift (N, 1, 1, C) such that scale x + shift = (x - mean) rstd weight + bias."""
    groups = mean.shape[1]
    scale = rstd * weight.view(1, groups, -1)
    return tuple(by_channel_of(a, weight.dtype) for a in (scale, bias.view(1, groups, -1) - mean * scale))


def by_channel_of(x: Tensor, dtype: torch.dtype) -> Tensor:
    """(N, groups, C / groups) -> (N, 1, 1, C)."""
    return x.reshape(len(x), 1, 1, -1).to(dtype)


def planes(x: Tensor) -> Tensor:
    """(N, C, D, H, W) -> (N, D, H W, C), without a copy if memory is channels-last."""
    return x.contiguous(memory_format=LAST).movedim(1, -1).flatten(2, 3)


def volume(x: Tensor, shape: torch.Size) -> Tensor:
    """The inverse of `planes`: (N, D, H W, C) -> `shape`, in channels-last memory."""
    n, c, *sides = shape
    return x.view(n, *sides, c).movedim(-1, 1)


class NormReLU(nn.GroupNorm):
    """GroupNorm and ReLU as one layer; the shape is kept."""

    kernels = EAGER

    def forward(self, x: Tensor) -> Tensor:
        return GroupNormReLU.apply(x, self.weight, self.bias, Normalization(self.num_groups, self.eps, self.kernels))


def fuse_norms(model: nn.Module, dtype: torch.dtype = torch.float32) -> bool:
    """Have every norm of a model use compiled kernels for inputs of this type. Return whether that succeeded.

    It takes seconds. Without a working compiler (C++ for a CPU, Triton for a GPU) the norms stay as they are.
    """
    try:
        try_out(compiled(), next(model.parameters()).device, dtype)
    except Exception as error:  # a missing or broken compiler may raise anything
        warnings.warn(f"norms are not compiled: {str(error).strip().splitlines()[:1]}", stacklevel=2)
        return False
    for module in model.modules():
        if isinstance(module, NormReLU):
            module.kernels = compiled()
    return True


@torch.no_grad()
def try_out(kernels: Kernels, device: torch.device, dtype: torch.dtype) -> None:
    """Run every kernel once. The sides differ from each other and from 3, the number of coefficients: the compiler
    would take equal sides for one, and compile again where they differ. It compiles again for a batch of one sample,
    too; `warm_up` has such batches where a run has them."""
    x, c = torch.ones(2, 5, 7, 8, dtype=dtype, device=device), torch.ones(2, 1, 1, 8, device=device)
    kernels.moments(x)
    kernels.normalize(x, c, c)
    kernels.gradient_sums(x, x, c, c)
    kernels.gradient(x, x, c, c, torch.stack([c, c, c]))
