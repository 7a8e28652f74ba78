"""Evaluation: exact voxel counts over the whole validation split."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from benchmark.metric import Counts
from implementations.pytorch.config import TrainConfig
from implementations.pytorch.data import Batch
from implementations.pytorch.layout import Layout
from implementations.pytorch.scaffold.model import to_input
from implementations.pytorch.step import precise


@torch.inference_mode()
def evaluate(model: nn.Module, batches: Iterable[Batch], classes: int, layout: Layout, config: TrainConfig) -> Counts:
    """The counts over all ranks' batches. Ranks meet once, at the end, so their numbers of batches may differ."""
    confusion = torch.zeros(classes * classes, dtype=torch.int64, device=config.device)
    for batch in batches:
        with precise(config):
            logits = model(to_input(batch.volume))
        confusion += confusion_counts(logits, batch.label)
    return to_counts(layout.add(confusion).view(classes, classes))


def confusion_counts(logits: Tensor, label: Tensor) -> Tensor:
    """Voxels by (true class, predicted class): logits (N, C, D, H, W), label (N, D, H, W) uint8 -> (C * C,) int64."""
    classes = logits.shape[1]
    pairs = label.long().mul_(classes).add_(logits.argmax(1))
    return torch.bincount(pairs.flatten(), minlength=classes * classes)


def to_counts(confusion: Tensor) -> Counts:
    """The metric's counts from a confusion matrix (true, predicted)."""
    parts = (confusion.diagonal(), confusion.sum(0), confusion.sum(1))
    return Counts(*(tuple(part.tolist()) for part in parts))
