"""A measure's title, and the ways in which one follows from a result."""

import pytest

from results.measures.measure import Measure, deviation, mean, of_energy, of_throughput, over, rate, seconds_of


def test_a_heading_has_the_unit():
    assert Measure("x", "span", "a span", lambda r: 1.0, "s").title == "span, s"
    assert Measure("x", "share", "a share", lambda r: 0.5, share=True).title == "share, %"


def test_nothing_over_a_divisor_is_nothing():
    assert over(3.0, 2) == 1.5 and over(0.0, 2) == 0.0 and over(None, 2) is None


def test_a_mean_is_of_the_runs_that_the_figure_of_merit_averages(results):
    """51, 52 and 53 s of the five."""
    (r,) = results
    assert mean("total_ms", 1000)(r) == pytest.approx(52) and deviation("total_ms", 1000)(r) == pytest.approx(1)
    assert mean("train_rate")(r) == pytest.approx(rate("train_rate")(r), rel=1e-3)
    assert rate("train_rate")(r) < mean("train_rate")(r)  # harmonic


def test_what_a_set_has_not_is_nothing(results):
    (r,) = results
    assert of_energy(lambda e: e.tier)(r) is of_throughput(lambda t: t.total)(r) is None


def test_a_part_of_a_run_has_its_error(results):
    (r,) = results
    part = seconds_of("training", "training", "")
    assert (part.name, part.title) == ("training_seconds", "training, s")
    assert part.get(r) == mean("training_ms", 1000)(r) and part.error(r) == deviation("training_ms", 1000)(r)
