"""DeepCAM's loss and its metric, both computed from sums over pixels, samples and ranks."""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmark.deepcam.problem import CLASSES
from benchmark.metric import sums

from ..parallel.layout import Layout

FREQUENCIES = (0.986267818390377, 0.0004578708870701058, 0.01327431072255291)  # published, of the classes' pixels
POWER = -0.125
WEIGHTS = tuple(frequency**POWER for frequency in FREQUENCIES)


def to_input(data: Tensor, limits: Tensor) -> Tensor:
    """The network's input (N, 16, H, W) in [0, 1] from data (N, H, W, 16) as stored and the channels' least and
    greatest values (N, 2, 16); of blank samples, where these are equal, 0."""
    least, greatest = limits[:, 0, None, None], limits[:, 1, None, None]  # (N, 1, 1, 16)
    scaled = (data - least) / (greatest - least).clamp_min(torch.finfo(data.dtype).tiny)
    return scaled.permute(0, 3, 1, 2).contiguous()


def loss_sums(logits: Tensor, label: Tensor, weight: Tensor) -> Tensor:
    """Logits (N, 3, H, W), labels (N, H, W) uint8, weight (3,) -> (2,) float64: the sum over pixels of the
    cross-entropy, weighted by the class, and the number of pixels. N can be 0."""
    logits = logits.to(torch.promote_types(logits.dtype, weight.dtype))
    losses = F.cross_entropy(logits, label.long(), weight.to(logits.dtype), reduction="none")
    total = losses.sum(dtype=torch.float64)
    return torch.stack([total, torch.full_like(total, label.numel())])


def loss_from_sums(sums: Tensor) -> Tensor:
    """Return the loss, which is the mean over all pixels, and not over their weights, as in MLPerf HPC's reference."""
    return sums[0] / sums[1]


def overlaps(logits: Tensor, label: Tensor) -> list[list[float]]:
    """TP / (TP + FP + FN) of each class by sample, 1 for a class that is neither there nor found: logits (N, 3, H, W),
    labels (N, H, W) uint8 -> N lists of 3."""
    classes = logits.shape[1]
    found = logits.argmax(1)
    true, found = (F.one_hot(x.flatten(1).long(), classes).bool() for x in (label, found))  # (N, H * W, 3)
    both, either = (x.sum(1).tolist() for x in (true & found, true | found))
    return [[b / e if e else 1.0 for b, e in zip(bs, es, strict=True)] for bs, es in zip(both, either, strict=True)]


def mean_overlap(values: Iterable[list[float]], layout: Layout) -> tuple[float, list[float]]:
    """Return the IoU and its sums by class, over all ranks' values by sample. The sums are exactly rounded, so they do
    not depend on batches and ranks."""
    everyone = [sample for part in layout.gather(list(values)) for sample in part]
    totals = sums(everyone)
    return sum(totals) / (len(CLASSES) * len(everyone)), totals
