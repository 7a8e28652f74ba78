"""Evaluation: exact voxel counts over the whole validation split."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from benchmark.metric import Counts, dice

from ..config import RunConfig
from ..parallel.layout import Layout
from ..task import Evaluation, Tensors
from ..training.step import autocast
from .model import to_input


@torch.no_grad()  # the norms' kernels would be compiled once more for tensors of inference mode
def evaluate(
    model: nn.Module, batches: Iterable[Tensors], classes: int, layout: Layout, config: RunConfig
) -> Evaluation:
    """Return Dice and its counts over all ranks' batches of volume and label, uint8 (N, D, H, W) each.

    The ranks of a replica have the same samples. Replicas communicate only at the end, so their numbers of batches may
    differ.
    """
    confusion = torch.zeros(classes * classes, dtype=torch.int64, device=config.device)
    for volume, label in batches:
        with autocast(config):
            logits = model(to_input(volume))
        confusion += confusion_counts(logits, label)
    counts = to_counts(layout.add(confusion).view(classes, classes))
    return Evaluation(dice(counts), {name: list(numbers) for name, numbers in vars(counts).items()})


def confusion_counts(logits: Tensor, label: Tensor) -> Tensor:
    """Voxels by (true class, predicted class): logits (N, C, D, H, W), label (N, D, H, W) uint8 -> (C * C,) int64."""
    classes = logits.shape[1]
    pairs = label.long().mul_(classes).add_(logits.argmax(1))
    return torch.bincount(pairs.flatten(), minlength=classes * classes)


def to_counts(confusion: Tensor) -> Counts:
    """Return the metric's counts from a confusion matrix (true, predicted)."""
    parts = (confusion.diagonal(), confusion.sum(0), confusion.sum(1))
    return Counts(*(tuple(part.tolist()) for part in parts))
