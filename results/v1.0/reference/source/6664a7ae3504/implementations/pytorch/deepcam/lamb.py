"""LAMB (You et al. 2020, arXiv:1904.00962) as DeepCAM's runs use it: gradient clipped first, bias corrected, decoupled
weight decay, and the trust ratio of every tensor that has some."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


class LAMB(torch.optim.Optimizer):
    """With g the gradient of all tensors together, scaled down to an L2 norm of at most `max_grad_norm`, and for each
    tensor p its mean m and square v, zero at first, at step t:

        m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
        u = (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) + weight_decay p
        p = p - lr r u,   r = |p| / |u|, but 1 where a norm or the weight decay is 0
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.01,
        max_grad_norm: float = 1.0,
    ):
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "max_grad_norm": max_grad_norm}
        super().__init__(params, {**defaults, "steps": 0})

    @torch.no_grad()
    def step(self, closure: Callable | None = None) -> None:
        """One step on all tensors that have a gradient; gradients are left clipped."""
        if closure is not None:
            raise ValueError("LAMB takes no closure")
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if params:
                self.update(group, params, [p.grad for p in params])

    def update(self, group: dict, params: list[Tensor], grads: list[Tensor]) -> None:
        """A step of a group's tensors. Lists of tensors go to one call each: there are 301 tensors to a step."""
        (b1, b2), decay = group["betas"], group["weight_decay"]
        for p in params:
            if not self.state[p]:
                self.state[p] |= {"mean": torch.zeros_like(p), "square": torch.zeros_like(p)}
        group["steps"] = t = group["steps"] + 1
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(grads)))
        torch._foreach_mul_(grads, (group["max_grad_norm"] / norm).clamp(max=1.0))  # a norm of 0: infinity, so 1
        mean, square = ([self.state[p][name] for p in params] for name in ("mean", "square"))
        torch._foreach_lerp_(mean, grads, 1 - b1)
        torch._foreach_mul_(square, b2)
        torch._foreach_addcmul_(square, grads, grads, value=1 - b2)
        root = torch._foreach_sqrt(square)
        torch._foreach_div_(root, (1 - b2**t) ** 0.5)
        torch._foreach_add_(root, group["eps"])
        update = torch._foreach_div(mean, root)
        torch._foreach_div_(update, 1 - b1**t)
        if decay:
            torch._foreach_add_(update, params, alpha=decay)
            torch._foreach_mul_(update, trust(params, update))
        torch._foreach_add_(params, update, alpha=-group["lr"])


def trust(params: list[Tensor], updates: list[Tensor]) -> list[Tensor]:
    """|p| / |u| by tensor, 1 where either is 0."""
    p, u = (torch.stack(torch._foreach_norm(tensors)) for tensors in (params, updates))
    return list(torch.where((p > 0) & (u > 0), p / u, 1.0).unbind())
