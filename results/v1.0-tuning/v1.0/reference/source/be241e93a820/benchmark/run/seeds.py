"""Draw a run's seed, and derive its streams of random numbers from it. The streams are independent of each other.

A stream is seeded by the first 32-bit word of NumPy's `SeedSequence([seed, stream, ...])`, which mixes all bits of the
seed with the numbers beside it. NumPy guarantees that this never changes.
"""

import os
from collections.abc import Sequence
from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What the random numbers of a stream are for."""

    WEIGHTS = 0  # the initial weights, the same on all ranks
    ORDER = 1  # the order of samples, by epoch
    DROPOUT = 2  # dropout, by replica and epoch
    IO_TRIAL = 3  # the emulated computation of a trial of the input, by epoch


def draw_seed() -> int:
    """Return a fresh seed from the operating system: 63 bits."""
    return int.from_bytes(os.urandom(8), "big") >> 1


def stream_seed(seed: int, stream: Stream, *at: int) -> int:
    """Return the 32-bit seed of a stream, at a place such as an epoch."""
    return int(np.random.SeedSequence([seed, int(stream), *at]).generate_state(1)[0])


def sample_order(seed: int, epoch: int, samples: Sequence[int]) -> list[int]:
    """Return the samples in the order of an epoch, counted from 1.

    They are shuffled from the front (Fisher and Yates): by the next 32-bit word w of the Mersenne Twister MT19937, the
    sample at i of n changes places with that at i + w mod (n - i). PyTorch's `torch.randperm` on a CPU does the same.
    """
    order, last = list(samples), len(samples) - 1
    words = np.random.RandomState(stream_seed(seed, Stream.ORDER, epoch)).randint(0, 2**32, max(0, last), np.uint32)
    for i, word in enumerate(words.tolist()):
        j = i + word % (len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order
