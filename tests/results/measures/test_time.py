"""Where the time of a run goes, as measures."""

import pytest

from results.measures.registry import MEASURES
from results.measures.time import staging_epochs, staging_share


def test_the_parts_of_a_run_make_its_whole(results):
    (r,) = results
    parts = [MEASURES[f"{name}_seconds"].get(r) for name in ("staging", "training", "evaluation", "rest")]
    assert sum(parts) == pytest.approx(52)


def test_staging_is_a_share_of_the_run_and_of_an_epoch(results):
    (r,) = results
    staged = MEASURES["staging_seconds"].get(r)
    assert staging_share(r) == pytest.approx(staged / 52)
    assert staging_epochs(r) == pytest.approx(staged / MEASURES["epoch_seconds"].get(r))
