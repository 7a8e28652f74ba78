"""Seed the generators of a run from its seed, independently of each other: the initial weights (0), the order of
samples in `input/reader.py` (1), and dropout (2).

PyTorch's CPU generator uses only the low 32 bits of its seed. NumPy's SeedSequence mixes all 63 bits of the run's seed,
and the numbers beside it, into these 32.
"""

import torch
from numpy.random import SeedSequence


def seed_weights(seed: int) -> None:
    """Seed the initial weights, before the model is built. They are the same on all ranks."""
    torch.manual_seed(int(SeedSequence([seed, 0]).generate_state(1)[0]))


def seed_dropout(seed: int, replica: int, epoch: int) -> None:
    """Seed dropout, after the model is built, and again when a run is resumed after `epoch` epochs. The masks are the
    same on all ranks of a replica."""
    torch.manual_seed(int(SeedSequence([seed, 2, replica, epoch]).generate_state(1)[0]))
