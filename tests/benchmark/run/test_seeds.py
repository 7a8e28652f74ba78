import itertools

import numpy as np
import pytest

from benchmark.run import seeds
from benchmark.run.seeds import Stream, draw_seed, sample_order, stream_seed

SEEDS = (0, 5, 5 + 2**32, 5 + 2**62, 2**63 - 1)  # of which four share their low bits


def test_a_fresh_seed_has_63_bits_of_the_operating_system(monkeypatch):
    drawn = {draw_seed() for _ in range(100)}
    assert len(drawn) == 100 and all(0 <= seed < 2**63 for seed in drawn) and max(drawn) > 2**61
    monkeypatch.setattr(seeds.os, "urandom", lambda count: b"\xff" * count)
    assert draw_seed() == 2**63 - 1


def test_streams_are_32_bits_of_all_of_seed_and_place():
    """NumPy's SeedSequence never changes: these are its numbers."""
    assert stream_seed(7, Stream.ORDER, 3) == int(np.random.SeedSequence([7, 1, 3]).generate_state(1)[0]) == 1916955614
    assert [int(stream) for stream in Stream] == [0, 1, 2, 3]  # a log's seed is replayed by them
    places = [(0, 1), (0, 2), (1, 1), (1, 2), (2**31, 1)]
    large = [seed for seed in SEEDS if seed >= 2**32]
    found = [stream_seed(seed, stream, *at) for seed in large for stream in Stream for at in places]
    assert len(set(found)) == len(found) == 60 and all(0 <= word < 2**32 for word in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_orders_are_those_of_torch(seed):
    torch = pytest.importorskip("torch")
    for epoch, count in itertools.product((1, 1000), (0, 1, 2, 7, 168, 1000)):
        samples = range(13, 13 + count)
        generator = torch.Generator().manual_seed(stream_seed(seed, Stream.ORDER, epoch))
        wanted = [samples[i] for i in torch.randperm(count, generator=generator).tolist()]
        assert sample_order(seed, epoch, samples) == wanted
