"""Where the time of a run goes, as measures."""

from dataclasses import replace

import pytest

from results.measures.registry import MEASURES


def test_staging_before_the_clock_is_a_measure_of_its_own(r):
    measure = MEASURES["staged_before_seconds"]
    for ms, seconds in ((0, None), (99, None), (100, 0.1), (13_000, 13)):
        assert measure.get(replace(r, rows=tuple(row._replace(staged_ms=ms) for row in r.rows))) == seconds


def test_parts_and_epochs_add_up(r):
    value = {name: measure.get(r) for name, measure in MEASURES.items()}
    assert sum(value[f"{name}_seconds"] for name in ("staging", "training", "evaluation", "rest")) == pytest.approx(52)
    later = (value["epochs"] - 1) * value["later_epoch_seconds"]
    assert value["first_epoch_seconds"] + later == pytest.approx(value["epochs"] * value["epoch_seconds"])
    assert value["staging_share"] == pytest.approx(value["staging_seconds"] / 52)
    assert value["staging_epochs"] == pytest.approx(value["staging_seconds"] / value["epoch_seconds"])
