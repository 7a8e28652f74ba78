"""The comparison as a page."""

from pathlib import Path

import pytest

from compliance.engine import judge
from results.differences import pairs, sides
from results.html import compare_page
from results.html.compare_page import html_text
from results.sources import REFERENCE, Change, Difference
from results.statistics.result import summarize


@pytest.fixture
def compared(tree, new_log):
    for org, seconds in (("a", 50), ("<b>", 100)):
        tree.set([new_log.scaffold(seconds + i, epochs=5, seed=seconds + i) for i in range(5)], org=org)
    return sides(summarize(judge([tree.root]), as_logged=True))


def test_several_comparisons_stand_on_one_page(compared):
    assert "<title>a/box against &lt;b&gt;/box<" in html_text([(compared, pairs(compared))], Path.cwd())
    both = [(compared, pairs(compared))] * 2
    page = html_text(both, Path.cwd())
    assert page.count("<h3>Measured</h3>") == 2 and "<h1>Comparisons</h1>" in page and 'aria-label="Contents"' in page


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
