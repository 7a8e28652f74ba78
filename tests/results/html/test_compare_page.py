"""The comparison as a page."""

from dataclasses import replace
from pathlib import Path

import pytest

from results.differences import pairs, sides
from results.html import compare_page
from results.html.compare_page import drawn, html_text
from results.sources import REFERENCE, Change, Difference


@pytest.fixture
def compared(tree, new_log):
    for org, seconds in (("a", 50), ("<b>", 100)):
        tree.set(new_log.five(seconds, seconds, epochs=5), org=org)
    return sides(tree.results())


def test_several_comparisons_stand_on_one_page(compared):
    assert "<title>a/box against &lt;b&gt;/box<" in html_text([(compared, pairs(compared))], Path.cwd())
    both = [(compared, pairs(compared))] * 2
    page = html_text(both, Path.cwd())
    assert page.count("<h3>Measured</h3>") == 2 and "<h1>Comparisons</h1>" in page and 'aria-label="Contents"' in page


def test_a_set_without_a_score_is_in_no_chart_and_has_a_place(tree, new_log):
    """Three sets; the middle one has errors, and would be second."""
    for org, seconds in (("a", 50), ("b", 60), ("c", 70)):
        tree.set(new_log.five(seconds, seconds, epochs=5), org=org)
    known = {"why": "failed the check", "would_stand": (2, 3)}
    refused = sides([replace(r, **known) if r.org == "b" else r for r in tree.results()])
    found = [chart for chart in drawn(refused, pairs(refused)) if chart]
    assert [chart.kind for chart in found] == ["factors", "shares", "time", "medians", "timeline"]
    looks = {k["name"]: k["c"] for chart in found if chart.marks != "block" for k in chart.keys}
    assert looks == {"C / A": 2, "A": 0, "C": 2}
    rows = [row[1] for chart in found[1:3] + found[4:] for row in chart.tables["parts"].rows]
    assert not [name for name in rows if name.startswith("B ") or "b/box" in name]
    assert list(filter(None, drawn(refused[1:2] * 2, []))) == []
    page = html_text([(refused, pairs(refused))], Path.cwd())
    assert "no score: failed the check; as logged 62.0 s, which would be place 2 of 3</li>" in page


def test_sets_of_other_times_have_timelines_of_their_own(tree, new_log):
    """As found: beside one of 37 times its seconds, a set was a sliver."""
    for org, seconds in (("a", 50), ("b", 600)):
        tree.set(new_log.five(seconds, seconds, epochs=5), org=org)
    compared = sides(tree.results())
    found = [chart for chart in drawn(compared, pairs(compared)) if chart.kind == "timeline"]
    assert [chart.caption for chart in found] == [f"Timeline: seconds since its start, {name}" for name in "AB"]
    assert [{row[1][0] for row in chart.tables["parts"].rows} for chart in found] == [{"A"}, {"B"}]


def test_lists_of_differences_and_lines_of_source(compared, monkeypatch):
    change = Change("changed train.py: +1 -1", ("@@ -1 +1 @@", "-<old>", "+new"), 7)
    found = (
        ["A: no source: its submission holds none"],
        [Difference("B", REFERENCE, 3, (change, Change("only in A: x.py")), 2)],
    )
    monkeypatch.setattr(compare_page, "source_differences", lambda sides: found)
    monkeypatch.setattr(compare_page, "lists_of_differences", lambda sides: [("environment", [("driver", ["1", "2"])])])
    page = html_text([(compared, pairs(compared))], Path.cwd())
    assert "<h3>Environment: differences</h3>" in page and '<td>driver</td><td data-label="A">1</td>' in page
    assert "B against the published reference: 3 files the same, 4 not" in page and "A: no source: " in page
    assert '<span class="minus">-&lt;old&gt;</span><span class="plus">+new</span>' in page
    assert "and 7 more lines" in page and "only in A: x.py" in page and "and 2 more files" in page
