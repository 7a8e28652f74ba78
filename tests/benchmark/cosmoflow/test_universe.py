import numpy as np
import pytest

from benchmark import cosmoflow
from benchmark.cosmoflow import universe

WHOLE = ((0, 0, 0), (16, 16, 16))


def test_a_universe_follows_from_its_id_bit_by_bit(sample, mini):
    """The digest of one sample's bytes: it must never change, whatever the machine or the libraries."""
    x, y = sample
    assert x.shape == (16, 16, 16, 4) and x.dtype == np.int16 and y.dtype == np.float32
    digest, counts = cosmoflow.evidence(mini, "train", 7, WHOLE, sample)
    assert counts == () and f"{digest:064x}" == "b09e913cd6394bdd22c2436f97f422de2158e658fa5b574f43293a16f156b046"


@pytest.mark.parametrize("expected", [0.05, 3.0, 100.0])
def test_counts_are_poisson(expected):
    uniform = np.random.default_rng(1).random(200_000)
    counts = universe.poisson(np.full(200_000, expected), uniform)
    assert counts.mean() == pytest.approx(expected, rel=0.03) and counts.var() == pytest.approx(expected, rel=0.03)
