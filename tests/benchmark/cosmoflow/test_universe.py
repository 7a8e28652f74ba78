"""CosmoFlow's universes: their bits, their statistics, and what their parameters do."""

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


def test_parameters_do_what_they_are_named_for(mini):
    """Over many universes: counts rise with density, clumping with amplitude, and channels grow apart with growth."""
    made = [universe.make_universe(mini, i) for i in range(120)]
    y = np.stack([v for _, v in made])
    assert np.abs(y).max() <= 1 and np.abs(y.mean(0)).max() < 0.25 and y.std(0) == pytest.approx(3**-0.5, abs=0.12)
    mean = np.array([x.mean() for x, _ in made])
    over = np.array(
        [x.var((0, 1, 2)) / x.mean((0, 1, 2)) ** 2 - 1 / x.mean((0, 1, 2)) for x, _ in made]
    )  # no shot noise
    assert np.corrcoef(mean, y[:, 0])[0, 1] > 0.9
    assert np.corrcoef(np.log(over[:, 3]), y[:, 1])[0, 1] > 0.8
    assert np.corrcoef(np.log(np.maximum(over[:, 2], 1e-3) / over[:, 3]), y[:, 3])[0, 1] > 0.8
    assert np.median(over, axis=0).tolist() == sorted(np.median(over, axis=0).tolist())
