"""The loss: weighted cross-entropy plus 1 - soft Dice over the foreground (Milletari et al. 2016, arXiv:1606.04797).

Both are made of sums over voxels. Sums of pieces of a batch add up to those of the batch, so ranks
compute `loss_sums` of what they hold, add them up, and all hold the loss of the whole batch.
"""

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

SMOOTH = 1.0  # voxels; keeps the Dice of an absent class defined


class LossSums(torch.autograd.Function):
    """See `loss_sums`. Written out because autograd would keep and pass over the probabilities several times."""

    @staticmethod
    def forward(ctx, logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
        classes = logits.shape[1]
        rows = logits.movedim(1, -1).reshape(-1, classes).float()  # (voxels, classes); a view if channels-last
        true = label.reshape(-1, 1).long()  # (voxels, 1)
        log_p = torch.log_softmax(rows, dim=1)
        log_p_true = log_p.gather(1, true).squeeze(1)  # (voxels,)
        p = log_p.exp_()
        p_true = log_p_true.exp()
        true = true.squeeze(1)
        zeros = p.new_zeros(classes)
        voxels = torch.bincount(true, minlength=classes).to(p.dtype)
        log_likelihood = zeros.index_add(0, true, log_p_true)  # by class
        sums = torch.cat(
            [
                torch.stack([-(weight * log_likelihood).sum(), (weight * voxels).sum()]),
                zeros.index_add(0, true, p_true),
                p.sum(0),
                voxels,
            ]
        )
        ctx.save_for_backward(p, p_true, true, weight)
        ctx.shape, ctx.dtype = logits.shape, logits.dtype
        return sums

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor):
        p, p_true, true, weight = ctx.saved_tensors
        classes = p.shape[1]
        g_intersection, g_predicted = grad[2 : 2 + classes], grad[2 + classes : 2 + 2 * classes]
        # With respect to log p: every class gets p g_predicted, the true one what hangs on it alone.
        own = g_intersection[true] * p_true - grad[0] * weight[true]
        g = p * g_predicted
        g.scatter_add_(1, true.unsqueeze(1), own.unsqueeze(1))
        g.addcmul_(p, g.sum(1, keepdim=True), value=-1)  # log_softmax's adjoint
        n, _, *space = ctx.shape
        return g.to(ctx.dtype).reshape(n, *space, classes).movedim(-1, 1), None, None


def loss_sums(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """The additive part of the loss, float32: logits (N, C, D, H, W), label (N, D, H, W) uint8 with
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
