"""Charts across submissions."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from results.html import across
from results.html.across import charts, ideal, name_of, perfect, rate_chart
from results.statistics.result import summarize
from results.tables.rates import rates, series


@pytest.fixture
def results(tree, new_log):
    """Two organisations, three systems, one of them a throughput."""
    for org, seconds, units in (("a", 50.0, 4), ("b", 100.0, 8)):
        logs = [new_log.scaffold(seconds + i, epochs=5 + i % 2, seed=i, accelerators_per_node=units) for i in range(5)]
        tree.set(logs, org=org)
    tree.set([new_log.scaffold(80.0 + i, seed=70 + i) for i in range(6)], org="a", scaling="weak")
    return summarize(judge([tree.root]), as_logged=True)


def test_one_submission_has_nothing_beside_it(results):
    assert charts(results[:1]) == [] and charts([]) == []


def test_what_there_is_to_see(results):
    found = {chart.kind: chart for chart in charts(results)}
    assert list(found) == ["ranks", "curves", "time", "joint", "batch", "units", "strong"]
    assert found["curves"].keys[0]["name"] == "a/box, closed" and len(found["curves"].keys) == 3
    assert [k["name"] for k in found["strong"].keys] == ["a", "b"]
    low, high, _ = found["curves"].tables["band"].rows[0]  # of the same batch size
    assert 0 < low < high
    other = [r if r.weak else replace(r, rows=tuple(row._replace(batch=3) for row in r.rows)) for r in results]
    curves = next(c for c in charts(other) if c.kind == "curves")
    assert curves.tables["band"].rows == []


def test_ranks_are_on_one_axis_with_their_intervals(results):
    chart = next(c for c in charts(results) if c.kind == "ranks")
    (_, row, name, rank, fom, low, high), second = chart.tables["sets"].rows
    assert (row, name, rank, fom) == ("1  a/box", "a/box", "1", 52) and low < 52 < high
    assert second[1] == "2  b/box" and len(chart.tables["runs"].rows) == 10


def test_no_more_sets_than_rows(results, monkeypatch):
    monkeypatch.setattr(across, "MOST", 1)
    chart = next(c for c in charts(results) if c.kind == "ranks")
    assert len(chart.tables["sets"].rows) == 1 and chart.caption.endswith("; the first 1 of 2")


def test_sets_of_one_name_are_told_apart(results):
    strong, weak = (next(r for r in results if r.org == "a" and r.weak is is_weak) for is_weak in (False, True))
    assert name_of(strong, [strong]) == "a/box"
    assert [name_of(r, [strong, weak]) for r in (strong, weak)] == ["a/box, closed", "a/box, closed, throughput"]
    assert name_of(strong, [strong, strong]) == "a/box, closed 1"


def test_ideal_scaling_starts_at_the_smallest():
    assert perfect([[(2, 10.0), (8, 20.0)], [(4, 1.0)]]) == [(2, 10.0, 8, 40.0, "")]
    assert perfect([[(8, 3.0), (2, 10.0)]], -1) == [(2, 10.0, 8, 2.5, "")]
    assert ideal([], 1) == []


def test_rates_have_a_look_a_series(tree, new_log):
    logs = []
    for units, rate in ((1, 10.0), (2, 18.0), (4, 32.0)):
        log, layout = new_log.Log(), {"data": units, "depth": 1, "height": 1, "width": 1}
        new_log.header(log, throughput_only=True, layout=layout, problem="smoke", rules_edition="v1.0").add("run_start")
        log.add("throughput", {"throughput": rate, "step_seconds": 8 / rate}, after=1000, steps=20)
        logs.append(log.add("run_stop", status="success"))
    tree.set(logs, org="<b>", system="scaled", scaling="throughput")
    lines = series(rates(summarize(judge([tree.root]), as_logged=True)))
    chart = rate_chart(lines, "caption")
    assert [k["name"] for k in chart.keys] == [s.name for s in lines]
    assert chart.tables["joined"].rows == [(0, 1, 10.0), (0, 2, 18.0), (0, 4, 32.0)]
    assert chart.tables["lines"].rows == [(0, 1, 10.0), (0, 4, 40.0)] and rate_chart([], "") is None
