"""The factors of a ratio of times as a chart: what the second did better."""

import math

import pytest

from results.differences import pairs, sides
from results.html.across import charts, looks_of
from results.html.compare_page import html_text, product_chart
from results.html.factors import factor_chart
from results.html.report import html_text as report_text


@pytest.fixture
def results(tree, new_log):
    """One system with half the accelerators of the other, and a third that is refused."""
    for org, seconds, units in (("slow", 100, 4), ("fast", 40, 8)):
        tree.set(new_log.five(seconds, seconds, epochs=5, accelerators_per_node=units), org=org)
    tree.set([new_log.scaffold(60, reach=False)] * 5, org="refused")
    return tree.results()


def test_a_group_is_held_against_its_fastest(results):
    (chart,) = (c for _, of in charts(results, looks_of(results)) for c in of if c.kind == "factors")
    rows = chart.tables["sets"].rows
    assert chart.caption.startswith("Factors of the time over that of fast/box") and {row[2] for row in rows} == {
        "slow/box"
    }
    assert [row[1] for row in rows[:3]] == ["devices", "speed of a device", "samples to the target"]
    ratio = results[1].fom / results[0].fom
    assert math.prod(row[3] for row in rows) == pytest.approx(ratio, rel=1e-12)
    assert rows[0][3:6] == (2, 2, 2) and all(row[4] <= row[3] <= row[5] for row in rows)
    assert [key["c"] for key in chart.keys] == [looks_of(results)["slow/box"]]


def test_the_report_has_table_and_sentence(results, tmp_path):
    page = report_text(results, tmp_path)
    assert "<h3>What makes the difference</h3>" in page and "<h4>closed division" in page
    assert "time over that of fast/box" in page
    assert "<p>By figures of merit, slow/box takes 2.43 times as long as fast/box = 2 (devices) x " in page
    assert "What makes the difference" not in report_text(results[:1], tmp_path)


def test_a_comparison_has_the_chart_of_its_pairs(results, tmp_path):
    compared = sides(results)
    chart = product_chart(compared, pairs(compared))
    assert [(key["name"], key["c"]) for key in chart.keys] == [("B / A", 1)] and len(chart.tables["sets"].rows) == 6
    assert '"kind":"factors"' in html_text([(compared, pairs(compared))], tmp_path)
    assert product_chart(compared[:1], []) is None and factor_chart([("x", [])], "", []) is None
