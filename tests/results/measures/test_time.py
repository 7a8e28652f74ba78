"""Where the time of a run goes, as measures."""

from dataclasses import replace

import pytest

from results.measures.registry import MEASURES


def test_staging_before_the_clock_is_a_measure_of_its_own(results):
    (r,) = results
    measure = MEASURES["staged_before_seconds"]
    for ms, seconds in ((0, None), (99, None), (100, 0.1), (13_000, 13)):
        assert measure.get(replace(r, rows=tuple(row._replace(staged_ms=ms) for row in r.rows))) == seconds


def test_first_and_later_epochs_make_all_epochs(results):
    (r,) = results
    first, later, mean, epochs = (
        MEASURES[name].get(r) for name in ("first_epoch_seconds", "later_epoch_seconds", "epoch_seconds", "epochs")
    )
    assert first + (epochs - 1) * later == pytest.approx(epochs * mean)
