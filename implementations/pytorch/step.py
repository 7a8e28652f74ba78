"""One training step, and the warm-up that comes before the clock starts."""

import contextlib
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from benchmark.problem import Problem
from implementations.pytorch.config import TrainConfig
from implementations.pytorch.layout import Layout
from implementations.pytorch.scaffold.loss import loss_from_sums, loss_sums
from implementations.pytorch.scaffold.model import to_input


def precise(config: TrainConfig) -> contextlib.AbstractContextManager:
    """The context in which the network runs: autocast in bfloat16, or nothing."""
    return torch.autocast(config.device, dtype=torch.bfloat16, enabled=config.precision == "bfloat16")


def batch_loss(
    model: nn.Module, volume: Tensor, label: Tensor, weight: Tensor, layout: Layout, config: TrainConfig
) -> Tensor:
    """The loss of the whole batch, the same on all ranks, from this rank's part: uint8 (N, D, H, W) each.

    A rank without a sample (N = 0) takes part with an empty volume that counts for nothing.
    """
    here = len(volume) > 0
    if not here:
        volume, label = (torch.zeros((1, *x.shape[1:]), dtype=x.dtype, device=x.device) for x in (volume, label))
    with precise(config):
        logits = model(to_input(volume))
    sums = loss_sums(logits, label, weight)
    return loss_from_sums(layout.add(sums if here else sums * 0))


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor, clip: float) -> None:
    """Gradients of `loss`, clipped to an L2 norm of `clip`, and the optimizer's step."""
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), clip)
    optimizer.step()


def build_optimizer(parameters: Iterable[Tensor], config: TrainConfig) -> torch.optim.Optimizer:
    """Adam (Kingma and Ba 2015, arXiv:1412.6980). Its rate is set at every step."""
    return torch.optim.Adam(
        parameters,
        lr=config.learning_rate,
        betas=(config.beta_1, config.beta_2),
        eps=config.epsilon,
        weight_decay=config.weight_decay,
        fused=True,
    )


def warm_up(model: nn.Module, problem: Problem, weight: Tensor, layout: Layout, config: TrainConfig) -> None:
    """Passes forward and backward over synthetic voxels at every batch size that this rank will see, so that
    libraries are loaded and have chosen their kernels before the clock starts. Weights stay as they are: the
    optimizer's step is tried on others."""
    shape, device = layout.box(problem.side).shape, torch.device(config.device)
    full = len(layout.share(range(config.batch_size)))
    last = len(layout.share(range(problem.train_samples % config.batch_size)))
    for samples in (full, full, last):
        volume = torch.full((samples, *shape), 128, dtype=torch.uint8, device=device)
        batch_loss(model, volume, torch.zeros_like(volume), weight, layout, config).backward()
        model.zero_grad(set_to_none=True)
    trial = nn.Linear(8, 8).to(device)
    train_step(trial, build_optimizer(trial.parameters(), config), trial(torch.ones(1, 8, device=device)).sum(), 1.0)
    with torch.inference_mode(), precise(config):
        volume = torch.zeros((config.eval_batch_size, *shape), dtype=torch.uint8, device=device)
        plain_model(model)(to_input(volume))


def plain_model(model: nn.Module) -> nn.Module:
    """The model inside whatever parallelism was put around it."""
    return getattr(model, "module", model)
