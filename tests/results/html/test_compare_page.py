"""The comparison as a page."""

from pathlib import Path

import pytest

from compliance.engine import judge
from results.differences import pairs, sides
from results.html.compare_page import html_text, ratios
from results.html.page import bundle
from results.statistics.result import summarize


@pytest.fixture
def compared(tree, new_log):
    for org, seconds in (("a", 50), ("<b>", 100)):
        tree.set([new_log.scaffold(seconds + i, epochs=5, seed=seconds + i) for i in range(5)], org=org)
    return sides(summarize(judge([tree.root]), as_logged=True))


def test_names_of_strangers_are_escaped_and_seeds_name_their_lines(compared):
    page = html_text(compared, pairs(compared), Path.cwd()).replace(bundle(), "")
    assert "&lt;b&gt;" in page and "<b>/box" not in page
    assert "result_0.txt:" in page and page.count('class="view"') == 4


def test_curves_of_all_sets_are_in_one_chart(compared):
    page = html_text(compared, pairs(compared), Path.cwd())
    assert page.count('"kind":"curves"') == 1 and '"keys":[{"name":"A"' in page


def test_ratios_of_what_cannot_be_compared_are_not_drawn(compared):
    chart = ratios(pairs(compared), True)
    assert [row[1] for row in chart.tables["sets"].rows] == ["A / B"]
    assert ratios(pairs(compared), False) is None and ratios([], True) is None
