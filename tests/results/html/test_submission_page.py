"""A submission's page on the site."""

import pytest

from compliance.engine import judge
from results.html.detail import room
from results.html.submission_page import COLUMNS, names, submission
from results.statistics.result import summarize
from results.tables.links import Links

NAMES = ("v1.0", "../rules.html", "../charts.js")


@pytest.fixture(scope="module")
def results(makers, tmp_path_factory):
    tree, new_log = makers(tmp_path_factory.mktemp("submission"))
    for org, seconds in (("acme", 50), ("bolt", 500)):
        tree.set([new_log.scaffold(seconds + i, epochs=5, seed=seconds + i) for i in range(5)], org=org)
    tree.set([new_log.scaffold(60 + i, seed=i) for i in range(5)], org="acme", system="other", scaling="weak")
    return summarize(judge([tree.root]), as_logged=True), tree.root


def test_own_sets_alone_with_their_places_in_the_round(results):
    found, root = results
    left = [("round/v1.0/acme/x.txt", "TREE06 stray")]
    page = submission([r for r in found if r.org == "acme"], Links(root, public=True), room(2), left, *NAMES)
    assert page.count('class="set"') == 2 and "<b>bolt" not in page and "<h1>acme, v1.0</h1>" in page
    assert 'href="../rules.html"' in page and '<script src="../charts.js">' in page and "round/v1.0/acme/x.txt" in page
    cells = {name: cell(found[0]) for name, cell in COLUMNS.items()}
    assert [cell.text for cell in cells.values()][:4] == ["box", "scaffold", "strong", "closed"]
    assert cells["rank"].text == "1" and cells["system"].href.startswith("#")


@pytest.mark.parametrize("org", ["../../x", "..", "", "Index", "a" * 500, "<script>", "CHARTS", "é"])
def test_no_name_of_an_organisation_leads_elsewhere(org):
    found = names([org, "x", "X"], ("index.html",))
    assert len({name.lower() for name in found.values()}) == 3 and "index.html" not in {
        n.lower() for n in found.values()
    }
    for name in found.values():
        assert (
            name.endswith(".html") and not name.startswith(".") and len(name) < 90 and not set(name) & set("/\\<>\"' ")
        )
