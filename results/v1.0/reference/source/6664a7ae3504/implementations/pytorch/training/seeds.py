"""Seed PyTorch's generators from the streams of a run's seed. PyTorch's CPU generator uses the low 32 bits alone."""

import torch

from benchmark.run.seeds import Stream, stream_seed


def seed_weights(seed: int) -> None:
    """Seed the initial weights, before the model is built. They are the same on all ranks."""
    torch.manual_seed(stream_seed(seed, Stream.WEIGHTS))


def seed_dropout(seed: int, replica: int, epoch: int) -> None:
    """Seed dropout after `epoch` epochs. The masks are the same on all ranks of a replica."""
    torch.manual_seed(stream_seed(seed, Stream.DROPOUT, replica, epoch))
