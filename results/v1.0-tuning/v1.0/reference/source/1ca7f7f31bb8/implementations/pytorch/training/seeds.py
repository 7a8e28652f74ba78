"""What a run's seed seeds, each apart from the others: the initial weights (0), the order of samples in
`input/reader.py` (1), dropout (2).

PyTorch's generator on a CPU takes the low 32 bits of what it is given alone. NumPy's SeedSequence mixes all 63 bits of
a seed, and what stands beside it, into these.
"""

import torch
from numpy.random import SeedSequence


def seed_weights(seed: int) -> None:
    """Before the model is built: the same weights on all ranks."""
    torch.manual_seed(int(SeedSequence([seed, 0]).generate_state(1)[0]))


def seed_dropout(seed: int, replica: int, epoch: int) -> None:
    """Behind that, and where a run goes on after `epoch` epochs: the same on all ranks of a replica."""
    torch.manual_seed(int(SeedSequence([seed, 2, replica, epoch]).generate_state(1)[0]))
