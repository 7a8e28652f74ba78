"""Tables of the report in a real browser: sorting, searching, filters, and questions that they answer."""

from dataclasses import replace

import pytest

from results import summarize
from results.html.report import html_text
from tests.support import ROOT

browser = pytest.importorskip("tests.support.browser", reason="websocket-client is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.browser() is None, reason=f"none of {', '.join(browser.NAMES)} is installed"),
]

ORGS = "[...document.querySelectorAll('tr[data-organisation]')].filter(r => !r.hidden).map(r => r.dataset.organisation)"


def test_rows_are_sorted_and_sets_opened_by_click_and_by_key(page, report):
    page.open(report)
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    click = "document.querySelectorAll('table.cards th button')[4].click()"  # the figure of merit
    page.run(click)
    assert page.run(ORGS) == ["quick", "middle", "slow"]
    page.run(click)
    assert page.run(ORGS) == ["slow", "middle", "quick"]
    assert page.run("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "descending"
    assert page.run("document.querySelectorAll('details.set[open]').length") == 0
    page.run("document.querySelector('table.cards td a').click()")
    assert page.wait("document.querySelector('details.set[open] svg')?.getBoundingClientRect().height > 100")
    assert page.run("document.querySelectorAll('details.set[open]').length") == 1
    page.run("document.querySelectorAll('table.cards th button')[5].focus()")
    page.press("Enter", "\r", 13)
    assert page.run("document.querySelector('th[aria-sort] button').textContent").startswith("95 %")
    page.run("document.querySelector('details.set:not([open]) summary').focus()")
    page.press("Enter", "\r", 13)
    assert page.run("document.querySelectorAll('details.set[open]').length") == 2
    assert page.stayed_silent(report)


def find(page, words):
    page.run(f"(() => {{ document.getElementById('find').value = '{words}'; sift(); }})()")


def choose(page, fact, value):
    page.run(f"""(() => {{ const s = document.querySelector('[data-fact={fact}]'); s.value = {value!r};
      s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")


def test_search_and_filters_hide_rows_and_their_submissions(page, report):
    page.open(report)
    page.run("document.getElementById('find').focus()")
    page.call("Input.insertText", text="QUICK box")
    assert page.run(ORGS) == ["quick"] and page.run("document.querySelector('output').value") == "1 of 3 sets"
    assert page.run("[...document.querySelectorAll('details.set')].filter(d => !d.hidden).length") == 1
    choose(page, "organisation", "slow")
    assert page.run(ORGS) == [] and page.run("document.querySelector('output').value") == "no set of 3 matches"
    find(page, "capability strong closed")
    assert page.run(ORGS) == ["slow"]
    choose(page, "organisation", "")
    for words, found in (("a100", ["quick", "slow"]), ("torch", ["quick", "middle", "slow"]), ("h100", [])):
        find(page, words)
        assert page.run(ORGS) == found
    assert page.stayed_silent(report)


SEEN = """[...document.querySelectorAll('h2, h3, nav li')].filter(e => e.checkVisibility()).map(e => e.textContent)"""


def test_filters_leave_no_empty_heading_and_live_in_the_address(page, rounded):
    page.open(rounded)
    whole = page.run(SEEN)
    assert sum("deepcam" in text for text in whole) == 2 and sum("throughput" in text for text in whole) == 1
    choose(page, "benchmark", "scaffold")
    choose(page, "scaling", "strong")
    told = page.run(SEEN)
    assert not [text for text in told if "deepcam" in text or "throughput" in text]
    assert page.run("location.hash") == "#benchmark=scaffold&scaling=strong"
    choose(page, "organisation", "tacc")
    assert page.run(ORGS) == ["tacc", "tacc"] and "Without a score" not in page.run(SEEN)
    spelled = "[...document.querySelectorAll('[data-fact=organisation] option')].map(o => o.textContent)"
    assert page.run(spelled) == ["all", "lost", "other", "tacc"]
    page.run("history.pushState(null, '', '#benchmark=deepcam'); dispatchEvent(new Event('hashchange'))")
    assert page.run(ORGS) == ["other"] and page.run("document.querySelector('[data-fact=scaling]').value") == ""
    page.run("history.pushState(null, '', '#='); dispatchEvent(new Event('hashchange'))")
    assert page.run(SEEN) == whole
    assert page.stayed_silent(rounded)


@pytest.fixture
def mixed(tree, new_log, written):
    """Pairs of sets of both divisions and scalings, and a series of throughput alone."""
    for org, seconds, division in (("a", 50, "closed"), ("b", 70, "closed"), ("c", 90, "open"), ("d", 110, "open")):
        tree.set(new_log.five(seconds, seconds, more=1, submission_division=division), org=org)
    for org in ("b", "d"):
        tree.set(new_log.five(130, 130, more=1), org=org, system="many", scaling="weak")
    tree.set([new_log.steps(units, rate=10.0 * units) for units in (1, 2)], org="e", scaling="throughput")
    return written()


CAPTIONS = "[...document.querySelectorAll('figcaption')].filter(e => e.checkVisibility()).map(e => e.innerText)"


@pytest.mark.parametrize(
    ("fact", "value", "there", "gone"),
    [
        ("organisation", "a", ["closed division"], ["open", "many models", "the same global batch"]),
        ("organisation", "b", ["closed division", "many models"], ["open", "the same global batch"]),
        ("organisation", "e", ["the same global batch"], ["division", "many models"]),
        ("division", "open", ["open division"], ["closed", "many models"]),
        ("scaling", "strong", ["closed division", "open division"], ["many models", "the same global batch"]),
    ],
)
def test_no_figure_and_no_heading_is_left_without_the_chosen(page, mixed, fact, value, there, gone):
    """As found: charts of throughput sets stood on the page of an organisation that has none."""
    page.open(mixed)
    choose(page, fact, value)
    told = page.run(CAPTIONS)
    assert all(any(words in text for text in told) for words in there)
    assert not [text for text in told for words in gone if words in text]
    assert ("Throughput alone" in page.run(SEEN)) == (value in ("e", ""))
    assert page.stayed_silent(mixed)


def test_the_fastest_closed_system_and_what_others_did_better(page, rounded):
    """The first row after two choices, and the joint chart."""
    page.open(rounded)
    choose(page, "benchmark", "scaffold")
    choose(page, "scaling", "strong")
    first = "[...document.querySelectorAll('table.cards tbody tr')].find(r => r.checkVisibility()).innerText"
    heading = "[...document.querySelectorAll('h3')].find(h => h.checkVisibility()).textContent"
    assert "box200" in page.run(first) and page.run(first).startswith("1")
    assert page.run(heading).startswith("closed division")
    assert page.draw("figure.joint")
    points = page.run("document.querySelector('figure.joint').content.tables.points")
    assert {row[1] for row in points["rows"]} == {"tacc/box200", "tacc/box100", "other/box100"}
    assert page.wait("document.querySelector('figure.joint svg')?.textContent.includes('min')")


def test_whether_a_system_scales_and_what_more_would_buy(page, rounded):
    """One choice: the organisation. The table then has efficiency and a predicted time."""
    page.open(rounded)
    choose(page, "organisation", "tacc")
    table = "[...document.querySelectorAll('h3')].find(h => h.textContent === 'Scaling').parentNode"
    rows = f"[...{table}.querySelectorAll('tbody tr')].filter(r => !r.hidden)"
    small, large = page.run(f"{rows}.map(r => [...r.cells].map(c => c.innerText))")
    assert small[1:4] == ["100", "6.70", "100"] and large[1] == "200" and large[3] == "80"
    assert small[4] == large[2] and float(large[4]) < float(large[2]) and large[5].startswith("-")


def test_what_was_refused_is_one_click_from_its_findings(page, rounded):
    page.open(rounded)
    said = "[...document.querySelectorAll('.follows li')].map(l => l.innerText)"
    assert any(text.startswith("lost/box: 5 of 5 runs did not converge") for text in page.run(said))
    page.run("[...document.querySelectorAll('.follows li a')].find(a => a.innerText === 'lost/box').click()")
    assert page.wait("document.querySelector('details.set[open] summary')?.innerText.includes('lost/box')")
    assert page.wait("document.querySelector('details.set[open] .why')?.innerText.startsWith('No score')")


def test_of_many_rows_some_are_shown_until_all_are_asked_for(page, report):
    page.open(report)
    page.run("""(() => { const body = document.querySelector('table.cards tbody'), row = body.rows[1];
      for (let i = 0; i < 297; i++) body.append(row.cloneNode(true));
      body.closest('section').insertAdjacentHTML('afterbegin', '<button data-whole="yes">all</button>'); })()""")
    shown = "[...document.querySelector('table.cards').tBodies[0].rows].filter(r => r.checkVisibility()).length"
    assert page.run(shown) == 200
    page.run("document.querySelectorAll('table.cards th button')[4].click()")
    page.run("document.querySelectorAll('table.cards th button')[4].click()")
    assert page.run(ORGS)[:2] == ["slow", "middle"] and page.run(shown) == 200
    page.run("document.getElementById('find').focus()")
    page.call("Input.insertText", text="slow")
    assert page.run(shown) == 1
    find(page, "")
    page.run("document.querySelector('[data-whole]').click()")
    assert page.run(shown) == 300
    assert page.stayed_silent(report)


def test_a_thousand_sets_are_text_until_one_is_opened(page, tree, new_log):
    """How long a browser takes differs between machines; how much it must make does not."""
    tree.set(new_log.five())
    (r,) = tree.results()
    judged = [replace(r.judged, org=f"org{i:04}") for i in range(1000)]
    report = tree.root.parent / "report.html"
    report.write_text(html_text([replace(r, name=j.org, judged=j) for j in judged], report.parent), encoding="utf-8")
    page.open(report, 1366)
    texts = "document.querySelectorAll('details.set > noscript').length"
    assert page.run(texts) == 1000 and page.run("document.querySelectorAll('body *').length") < 50 * 1000
    rows = "[...document.querySelector('table.cards').tBodies[0].rows].filter(r => r.checkVisibility()).length"
    assert page.run(rows) == 200
    page.run("document.querySelector('table.cards td a').click()")
    assert page.wait(f"{texts} === 999")
    assert page.stayed_silent(report)


def test_campaigns_of_another_benchmark_are_hidden(page, tmp_path):
    report = tmp_path / "report.html"
    summarize.main([str(ROOT / "results/v1.0"), str(ROOT / "results/v1.0-tuning"), "--output", str(report)])
    page.open(report)
    for benchmark, there in (("deepcam", False), ("scaffold", True)):
        choose(page, "benchmark", benchmark)
        told = page.run(SEEN)
        assert any("tuning counted" in text for text in told) is there
        assert not [text for text in told if "cosmoflow" in text]
