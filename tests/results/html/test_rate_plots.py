"""Throughput alone in the report: a row a log, a letter a series, and nothing where there is none."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from results.html.page import Links
from results.html.rate_plots import joined, names, point, rate_plot, throughput_alone
from results.statistics.result import summarize
from results.tables.rates import rates, series


@pytest.fixture
def results(tree, new_log):
    """A study of 1, 2 and 4 units at the same batch, by an organisation whose name is markup."""
    logs = []
    for units, rate in ((1, 10.0), (2, 18.0), (4, 32.0)):
        log = new_log.Log()
        facts = {"problem": "smoke", "rules_edition": "v1.0", "submission_org": "<b>"}
        layout = {"data": units, "depth": 1, "height": 1, "width": 1}
        new_log.header(log, throughput_only=True, layout=layout, **facts).add("run_start")
        log.add("throughput", {"throughput": rate, "step_seconds": 8 / rate}, after=1000, steps=20)
        logs.append(log.add("run_stop", status="success"))
    tree.set(logs, org="<b>", system="scaled", scaling="throughput")
    return summarize(judge([tree.root]), as_logged=True)


def test_nothing_is_said_where_nothing_was_measured(tmp_path):
    assert throughput_alone([], Links(tmp_path)) == "" and rate_plot([]) == "" and names("strong", []) == ""


def test_a_row_a_log_a_figure_and_names_that_are_no_markup(results, tmp_path):
    page = throughput_alone(results, Links(tmp_path))
    assert page.count("<tr") == 1 + 3 and page.count("<svg") == 1  # no series of weak scaling
    assert "<b>" not in page and "&lt;b&gt; scaled, whole samples" in page
    assert [f"result_{i}.txt#L" in page for i in range(3)] == [True] * 3
    assert "100.0 %" in page and "90.0 %" in page and "80.0 %" in page


def test_a_series_has_a_letter_and_each_of_its_points_too(results):
    (strong,) = series(rates(results))
    assert names("strong", [strong]) == f"Strong: A {strong.name}" and names("weak", []) == ""
    points = [point(1, strong, rate) for rate in strong.rates]
    assert [(p.letter, p.x, p.y) for p in points] == [("B", 1, 10.0), ("B", 2, 18.0), ("B", 4, 32.0)]


def test_the_fastest_at_each_number_of_units_are_joined(results):
    (strong,) = series(rates(results))
    points = [point(0, strong, rate) for rate in strong.rates]
    slower = replace(points[1], y=5.0)
    same = joined(points, float, float)
    assert joined([slower, *points[::-1]], float, float) == same and "whisker c0" in same
