import pytest

from benchmark.run.seeds import sample_order
from implementations.pytorch.input.order import evaluation_batches, train_batches
from implementations.pytorch.parallel.layout import Layout


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("batch_size", [1, 3, 4])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_epoch_trains_on_every_sample_once(ranks, batch_size, accumulate):
    by_rank = [train_batches(Layout(ranks, r), range(7), batch_size, 2**63 - 1, 1, accumulate) for r in range(ranks)]
    assert len({len(batches) for batches in by_rank}) == 1  # the same number of steps
    parts = [part for batches in by_rank for batch in batches for part in batch]
    assert sorted(s for part in parts for s in part.samples) == list(range(7))
    sizes = []
    for step in zip(*by_rank, strict=True):
        assert len({tuple(part.weight for part in mine) for mine in step}) == 1  # ranks agree
        sizes.append(sum(len(part.samples) for mine in step for part in mine))
        for i, part in enumerate(step[0]):
            assert part.weight == sum(len(mine[i].samples) for mine in step) / sizes[-1]
    assert sizes == [batch_size] * (7 // batch_size) + [7 % batch_size] * (7 % batch_size > 0)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_evaluation_sees_every_sample_once(ranks):
    batches = [b for r in range(ranks) for b in evaluation_batches(Layout(ranks, r), range(7, 11), 3)]
    assert sorted(s for batch in batches for s in batch) == [7, 8, 9, 10]


def test_the_order_is_the_contracts():
    """One rank trains on the samples in the order that every implementation draws."""
    seed, samples = 2**62 + 5, range(50)
    found = [s for step in train_batches(Layout(1), samples, 8, seed, 3) for part in step for s in part.samples]
    assert found == sample_order(seed, 3, samples)
