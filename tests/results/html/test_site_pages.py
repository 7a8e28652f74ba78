"""The pages of the site, made of results."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from results.html.page import bundle
from results.html.site_pages import ROUNDS, blocks, files, index, rounds, rules, trends
from tests.support.effort import lines_run


@pytest.fixture
def results(tree, new_log):
    """Two rounds of one system and one of another, the later round faster; one log tells whom to write to."""
    for name, seconds in (("v1.0", 600.0), ("v1.1", 300.0)):
        tree.set(new_log.five(seconds, epochs=5, note="who@acme.example"), edition=name)
    tree.set(new_log.five(500.0, 70, epochs=5), org="bolt")
    return tree.results(edition="v1.0")


def test_results_stand_with_their_round(results):
    found = rounds(results, [("x/v1.1/acme/stray.txt", "why"), ("elsewhere", "why")])
    assert [(one.name, one.folder, len(one.results), len(one.left_out)) for one in found] == [
        ("v1.0", "v1.0", 2, 0),
        ("v1.1", "v1.1", 1, 1),
    ]
    assert ROUNDS["rules"](found[0]).text == "v1.0" and rounds([], []) == []
    odd = replace(results[0], judged=replace(results[0].judged, round="rules.html"))
    folders = [one.folder for one in rounds([odd, *results[1:]], [])]
    assert len(folders) == 3 and "rules.html" not in folders


def test_the_best_of_each_system_over_rounds(results):
    ((title, table, chart),) = trends(rounds(results, []))
    assert title == "scaffold · smoke · closed division · minutes to train · target 0.95"
    assert table.head == ("system", "v1.0", "v1.1")
    assert [[c.text for c in line.cells] for line in table.lines] == [
        ["acme/box", "10.03", "5.03"],
        ["bolt/box", "8.37", "-"],
    ]
    assert table.lines[0].cells[1].href.startswith("v1.0/acme.html#") and chart.kind == "trend"
    rows = [row[:2] + row[3:4] for row in chart.tables["points"].rows]  # rounds in their order, the best of all first
    assert rows[:3] == [(0, "v1.0", "bolt/box"), (1, "v1.0", "acme/box"), (2, "v1.0", "bolt/box")]
    assert rows[3:] == [(0, "v1.1", "acme/box"), (1, "v1.1", "acme/box")]
    assert [k["name"] for k in chart.keys] == ["best of all", "acme/box", "bolt/box"]
    ((_, _, alone),) = trends(rounds([r for r in results if r.judged.round == "v1.0"], []))
    assert alone is None  # a chart of one round shows nothing
    far = [r._replace(target=0.9) for r in results[0].rows]  # of another target, which is another problem
    assert len(trends(rounds([replace(results[0], rows=tuple(far)), *results[1:]], []))) == 2


def test_a_system_looks_the_same_in_every_chart(results, tree, new_log):
    """As found: colours were numbered by chart, in the order of the scores."""
    open_ = [replace(r, group=(*r.group[:4], "open")) for r in results if r.org == "bolt"]
    later = [replace(r, judged=replace(r.judged, round="v1.1")) for r in open_]
    found = [chart for _, _, chart in trends(rounds([*results, *open_, *later], []))]
    closed, opened = ({k["name"]: k["c"] for k in chart.keys} for chart in found)
    assert list(closed) == ["best of all", "acme/box", "bolt/box"] and list(opened) == ["best of all", "bolt/box"]
    assert closed | opened == closed and len(set(closed.values())) == 3


def test_an_organisation_is_one_over_rounds_whatever_its_case(results):
    """It is called as in its last round."""
    odd = [r if r.judged.round == "v1.0" else replace(r, judged=replace(r.judged, org="ACME")) for r in results]
    ((_, table, chart),) = trends(rounds(odd, []))
    assert [line.cells[0].text for line in table.lines] == ["ACME/box", "bolt/box"]
    assert [c.text for c in table.lines[0].cells[1:]] == ["10.03", "5.03"] and len(chart.keys) == 3


def test_links_between_pages_lead_somewhere(results, tree):
    made = dict(files(rounds(results, []), tree.root))
    rounds_of = [f"v1.{i}/{n}" for i in (0, 1) for n in ("acme.html", *(["bolt.html"] if i == 0 else []), *NAMES)]
    assert sorted(made) == ["charts.js", "index.html", "rules.html", *rounds_of]
    for name, text in made.items():
        for link in text.replace(bundle(), "").split('href="')[1:]:
            target, _, part = link.partition('"')[0].partition("#")
            if target.startswith("data:"):
                continue
            at = (Path("/") / name).parent / target if target else Path("/") / name
            to = str(Path("/", *[p for p in at.parts if p != ".."][1 if ".." not in at.parts else 2 :])).lstrip("/")
            assert to in made, (name, target)
            assert not part or f'id="{part}"' in made[to], (name, link[:80])


NAMES = ("index.html", "results.csv", "results.json")


def test_nothing_of_a_person(results, tree):
    odd = replace(results[0], category="ask who@acme.example", why="found who@acme.example")
    made = dict(files(rounds([odd, *results[1:]], [(str(tree.root / "v1.0/stray.txt"), "x@y.example")]), tree.root))
    for name, text in made.items():
        text = text.replace(bundle(), "")
        assert "@acme" not in text and "@y" not in text, name
    assert "[address]" in made["v1.0/results.csv"]
    body = json.loads(made["v1.0/results.json"])
    assert body["left_out"] == [{"path": "v1.0/stray.txt", "why": "[address]"}] and len(body["results"]) == 2


def test_rules_say_where_they_are_in_force():
    page = rules()
    assert 'id="RUN05"' in page and "vegaEmbed(" in page and "window.vegaEmbed" not in page
    assert "error in " in page and "\\n" not in page.partition("<script")[0]


def test_texts_are_paragraphs_and_lists():
    assert blocks("a\nb\n\n- Bad: `x\n  y`\n- Good: z") == [["a b"], ["- Bad: `x y`", "- Good: z"]]


def test_one_round_needs_no_charts_code(results):
    assert "window.vegaEmbed" not in index(rounds([r for r in results if r.judged.round == "v1.0"], []))


def lines(results, number):
    """How many lines run to make the pages of a round of so many organisations."""
    first = next(r for r in results if r.judged.round == "v1.0")
    judged = [replace(first.judged, org=f"org{i}") for i in range(number)]
    found = rounds([replace(first, name=f"v1.0/{j.org}", judged=j) for j in judged], [])
    return lines_run(lambda: dict(files(found, Path.cwd())))


@pytest.mark.slow
def test_the_work_grows_with_the_submissions_and_no_faster(results):
    lines(results, 2)  # what is kept afterwards: templates, rules, the code of charts
    few, some, many = (lines(results, number) for number in (4, 8, 16))
    assert many - some <= 2.1 * (some - few)
