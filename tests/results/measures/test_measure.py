"""A measure's title, and the ways in which one follows from a result."""

from types import SimpleNamespace

import pytest

from results.measures.measure import (
    Measure,
    averaged,
    described,
    of_energy,
    of_expected,
    of_merit,
    of_throughput,
    over,
    seconds_of,
    with_deviation,
)
from results.statistics.expected import expected


def test_a_heading_has_the_unit():
    found = [Measure("x", "span", "a span", lambda r: 1.0, **more) for more in ({"unit": "s"}, {"share": True})]
    found.append(Measure("x", "energy", "an energy", lambda r: 1.0, "J"))
    assert [m.title for m in found] == ["span, s", "span, %", "energy, kJ"]
    assert [m.told for m in found] == [("s", 1), ("%", 0.01), ("kJ", 1000)]


def test_nothing_over_a_divisor_is_nothing():
    assert over(3.0, 2) == 1.5 and over(0.0, 2) == 0.0 and over(None, 2) is None


def test_a_mean_is_of_the_runs_that_the_figure_of_merit_averages(r):
    """51, 52 and 53 s of the five."""
    total = averaged("total", "total", "", "total_ms", unit="ms")
    assert total.title == "total, ms"
    assert total.get(r) == pytest.approx(52_000) and total.error(r) == pytest.approx(1000)
    same, spread = with_deviation(total)
    assert same is total and (spread.name, spread.title) == ("total_deviation", "±, ms")
    assert spread.get(r) == total.error(r) and with_deviation(total, name="x")[1].name == "x"


def test_what_a_set_has_not_is_nothing(r):
    assert of_energy(lambda e: e.tier)(r) is of_throughput(lambda t: t.total)(r) is None


def test_a_part_of_a_run_has_its_error(r):
    part = seconds_of("training", "")
    assert (part.name, part.title) == ("training_seconds", "training, s")
    assert part.get(r) == r.mean("training_ms") / 1000 and part.error(r) == r.deviation("training_ms") / 1000


@pytest.mark.parametrize(
    ("said", "shown"), [("A100", "A100"), (2, "2"), ("", None), (None, None), ("x" * 201, "x" * 200)]
)
def test_a_field_of_the_description_is_text_of_200_characters(said, shown):
    result = SimpleNamespace(judged=SimpleNamespace(description={"model": said}))
    assert described("model", "model", "model").get(result) == shown
    assert described("other", "other", "other").get(result) is None


def test_without_a_figure_of_merit_no_runs_are_averaged():
    get = of_merit(sum)
    score = SimpleNamespace(trimmed=[1.0, 2.0])
    assert get(SimpleNamespace(fom=1.5, score=score)) == 3.0 and get(SimpleNamespace(fom=None, score=score)) is None


def test_an_expected_time_and_not_why_there_is_none(r):
    found, _ = expected(r)
    assert found and of_expected(lambda time: time)(r) == found
