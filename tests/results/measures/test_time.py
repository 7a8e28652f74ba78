"""Where the time of a run goes, as measures."""

from dataclasses import replace

import pytest

from results.measures.registry import MEASURES


def test_the_parts_of_a_run_make_its_whole(results):
    (r,) = results
    parts = [MEASURES[f"{name}_seconds"].get(r) for name in ("staging", "training", "evaluation", "rest")]
    assert sum(parts) == pytest.approx(52)


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


def test_staging_is_a_share_of_the_run_and_of_an_epoch(results):
    (r,) = results
    staged = MEASURES["staging_seconds"].get(r)
    assert MEASURES["staging_share"].get(r) == pytest.approx(staged / 52)
    assert MEASURES["staging_epochs"].get(r) == pytest.approx(staged / MEASURES["epoch_seconds"].get(r))
