"""The loss: weighted cross-entropy plus 1 - soft Dice over the foreground (Milletari et al. 2016, arXiv:1606.04797).

Both are made of sums over voxels. Sums of pieces of a batch add up to those of the batch, so ranks
compute `loss_sums` of what they hold, add them up, and all hold the loss of the whole batch.
"""

import math

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

SMOOTH = 1.0  # voxels; keeps the Dice of an absent class defined
COLUMNS = 4096  # of partial sums by class


class LossSums(torch.autograd.Function):
    """See `loss_sums`. Written out because autograd would keep and pass over the probabilities several times."""

    @staticmethod
    def forward(ctx, logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
        n, classes = logits.shape[:2]
        wide = torch.promote_types(logits.dtype, torch.float32)
        # Class after class in memory: a softmax over a short last dimension is 20 times slower.
        log_p = torch.log_softmax(logits.to(wide).flatten(2).contiguous(), dim=1)  # (N, C, voxels)
        true = label.reshape(n, 1, -1).long()  # (N, 1, voxels)
        log_p_true = log_p.gather(1, true)  # (N, 1, voxels)
        p, p_true = log_p.exp_(), log_p_true.exp()
        log_likelihood = by_class(true, log_p_true, classes)
        voxels = by_class(true, torch.ones_like(p_true), classes)
        ctx.save_for_backward(p, p_true, true, weight)
        ctx.shape, ctx.dtype = logits.shape, logits.dtype
        totals = torch.stack([-(weight * log_likelihood).sum(), (weight * voxels).sum()])
        return torch.cat([totals, by_class(true, p_true, classes), p.sum((0, 2)).double(), voxels])

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor):
        p, p_true, true, weight = ctx.saved_tensors
        classes = p.shape[1]
        grad = grad.to(p.dtype)
        g_intersection, g_predicted = grad[2 : 2 + classes], grad[2 + classes : 2 + 2 * classes]
        # With respect to log p: every class gets p g_predicted, the true one what hangs on it alone.
        g = p * g_predicted.view(-1, 1)
        g.scatter_add_(1, true, g_intersection[true] * p_true - (grad[0] * weight.to(p.dtype))[true])
        g.addcmul_(p, g.sum(1, keepdim=True), value=-1)  # log_softmax's adjoint
        return g.to(ctx.dtype).view(ctx.shape), None, None


def by_class(true: Tensor, values: Tensor, classes: int) -> Tensor:
    """Sums of `values` (N, 1, voxels) by class of the voxel: (classes,) float64, as float32 stops counting at 2^24.

    Neighbours go into sums of their own first: on a GPU, threads that add to one number of memory wait for each other.
    """
    columns = math.gcd(values.numel(), COLUMNS)
    sums = torch.zeros(classes, columns, dtype=torch.float64, device=values.device)
    return sums.scatter_add_(0, true.view(-1, columns), values.double().view(-1, columns)).sum(1)


def loss_sums(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """The additive part of the loss, float64: logits (N, C, D, H, W), label (N, D, H, W) uint8 with
    values below C, weight (C,) float32 -> (2 + 3 C,): sum of weighted negative log likelihoods, sum of
    weights, then by class the soft intersection, the soft prediction and the true voxels."""
    return LossSums.apply(logits, label, weight)


def loss_from_sums(sums: Tensor) -> Tensor:
    """Cross-entropy + 1 - mean soft Dice of the foreground classes, from `loss_sums` of a whole batch."""
    intersection, predicted, true = sums[2:].view(3, -1)[:, 1:]  # each (C - 1,)
    dice = (2 * intersection + SMOOTH) / (predicted + true + SMOOTH)
    return sums[0] / sums[1] + 1 - dice.mean()


def class_weights(classes: int, background: float) -> Tensor:
    """Weights of the cross-entropy (classes,): `background` for class 0 and 1 for the others."""
    weight = torch.ones(classes)
    weight[0] = background
    return weight
