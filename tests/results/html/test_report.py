"""The HTML report as text: complete, self-contained, and safe against what strangers write."""

import json
import re

import pytest

from results import summarize
from results.html import report as report_module
from results.html.page import bundle, environment
from tests import readers


@pytest.fixture
def report(tree, new_log, tmp_path):
    def make():
        tree.set(new_log.five(50, 900, epochs=5, more=1), org="a")
        tree.set(new_log.five(100, 800, epochs=5), org="b")
        tree.set([new_log.scaffold(100, reach=False) for _ in range(5)], org="lost")
        tree.set([new_log.scaffold(100 + i, seed=700 + i) for i in range(6)], org="a", scaling="weak")
        page = tmp_path / "out" / "report.html"
        page.parent.mkdir(exist_ok=True)
        summarize.main(["--as-logged", "--format", "html", "--output", str(page), str(tree.root)])
        return page.read_text()

    return make


def charts(html):
    found = re.findall(r'<script type="application/json">(.*?)</script>', html)
    return [json.loads(text) for text in found]


def test_report_is_whole_and_fetches_nothing(report):
    html = report()
    readers.check_output("html", html)
    seen, own = readers.Page(html), html.replace(bundle(), "")
    assert "://" not in own and html.count('<details class="set"') == 4
    assert not {"img", "iframe", "object", "embed", "base"} & seen.tags
    assert {link for link in seen.links if not link.startswith(("#", "../"))} == {"data:,"}
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert "default-src &#39;none&#39;" in policy and "unsafe-eval" not in policy
    assert "script-src &#39;sha256-" in policy
    ids = re.findall(r'<[^<>]* id="([^"]+)"', own)
    assert len(ids) == len(set(ids)) == 7 and {link[1:] for link in seen.links if link.startswith("#")} <= set(ids)
    assert {tuple(chart) for chart in charts(html)} == {("kind", "keys", "marks", "log", "tables")}
    assert not re.search(r'href="[^"]*#L\d', html)  # a log would open at its top
    assert re.search(r'<span class="meant"> *\d+  :::MLLOG \{', html)


def test_a_single_submission_is_open_and_stands_beside_nothing(tree, new_log, tmp_path):
    tree.set(new_log.five())
    page = tmp_path / "one.html"
    summarize.main(["--as-logged", "--output", str(page), str(tree.root)])
    html = page.read_text()
    assert [c["kind"] for c in charts(html)] == ["curves", "timeline"]
    assert re.search(r'<details class="set" id="[\w-]+" open>', html) and 'id="find"' not in html


def test_it_says_what_nothing_shows(report):
    """How many sets have no score, that no size of a machine has another, and what no log measured."""
    html = report()
    assert "No score: 5 of 5 runs did not converge" in html and "4 sets of 21 runs; 1 without a score." in html
    assert "Scaling: no machine has scores at two sizes" in html
    assert "Nothing can be predicted: all runs have a batch size of 8." in html and "Predicted, not" not in html
    assert "b/box does better in" not in html  # its parts take no fewer seconds, whatever their factors
    how = "on nodes whose counters a run may read (docs/energy.md): python harness/submit.py --problem smoke "
    assert "<h2>Not measured</h2>" in html and f"<li>energy, {how}" in html
    assert "The checker found nothing." not in html
    assert "The checker found nothing." in environment().get_template("parts.html").module.findings([])


def test_what_tables_are_filtered_by(report):
    html = report()
    for fact, value in (("organisation", "a"), ("scaling", "strong")):
        options = f'<option value="">all</option><option value="{value}">{value}</option>'
        assert f'<select data-fact="{fact}">{options}' in html
    said = '<tr data-benchmark="scaffold" data-division="closed" data-scaling="strong" data-organisation="lost" data-'
    assert said in html and 'data-fact="division"' not in html  # there is one only


@pytest.mark.parametrize("given", ["round", "../{}/round"])
def test_same_bytes_every_time_wherever_it_is_made(report, tree, new_log, monkeypatch, given):
    """As found: paths of other logs, and of logs that belong to no set, stood as they were given."""
    report()
    tree.set(new_log.five(50, 900, epochs=5, more=1), org="copy")
    new_log.scaffold(7).write(tree.root / "v1.0" / "b" / "result_0.txt")
    made = []
    for here, path in ((tree.root, str(tree.root)), (tree.root.parent, given.format(tree.root.parent.name))):
        monkeypatch.chdir(here)
        summarize.main(["--as-logged", "--output", str(tree.root.parent / "page.html"), path])
        made.append((tree.root.parent / "page.html").read_text())
    assert made[0] == made[1] and str(tree.root) not in made[0]
    assert "found the bytes of v1.0/" in made[0] and "<li>round/v1.0/b/result_0.txt: " in made[0]


@pytest.mark.parametrize(("rows", "there"), [(200, False), (1234, True)])
def test_a_button_shows_all_of_more_than_200_rows(report, monkeypatch, rows, there):
    """Of many rows the style shows the first 200: none is hidden where nothing could show it."""
    section = report_module.section
    monkeypatch.setattr(report_module, "section", lambda *given: section(*given) | {"rows": rows})
    html = report()
    assert ('<button type="button" data-whole="yes">show all 1,234 rows</button>' in html) is there
    assert ".cards tbody tr:nth-child(n + 201 of" in html
