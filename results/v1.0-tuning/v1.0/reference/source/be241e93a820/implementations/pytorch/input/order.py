"""Which samples a rank trains on and evaluates, step by step."""

from typing import NamedTuple

from benchmark.run.seeds import sample_order

from ..parallel.layout import Layout


class Part(NamedTuple):
    """This rank's samples of a part of a batch, and the part's share of the whole batch over all ranks."""

    weight: float
    samples: list[int]


def train_batches(
    layout: Layout, samples: range, batch_size: int, seed: int, epoch: int, accumulate: int = 1
) -> list[list[Part]]:
    """Return this rank's parts of every batch of an epoch. The order is drawn from the run's seed and is the same on
    all ranks. Every sample is used once, so the last batch may be smaller."""
    order = sample_order(seed, epoch, samples)
    batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    return [
        [Part(len(part) / len(batch), layout.share(part)) for i in range(accumulate) if (part := batch[i::accumulate])]
        for batch in batches
    ]


def evaluation_batches(layout: Layout, samples: range, batch_size: int) -> list[list[int]]:
    """Return this rank's part of a split in batches. Ranks may have different numbers of batches."""
    share = layout.share(samples)
    return [share[i : i + batch_size] for i in range(0, len(share), batch_size)]
