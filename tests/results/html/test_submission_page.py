"""A submission's page on the site."""

import pytest

from results.html.detail import room
from results.html.submission_page import COLUMNS, names, submission
from results.tables.links import Links
from tests.results.conftest import Tree, five_runs

NAMES = ("v1.0", "../rules.html", "../charts.js")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    tree = Tree(tmp_path_factory.mktemp("submission") / "round")
    for org, seconds in (("acme", 50), ("bolt", 500)):
        tree.set(five_runs(seconds, seconds, epochs=5), org=org)
    tree.set(five_runs(60), org="acme", system="other", scaling="weak")
    return tree.results(), tree.root


def test_own_sets_alone_with_their_places_in_the_round(results):
    found, root = results
    left = [("round/v1.0/acme/x.txt", "TREE06 stray")]
    page = submission([r for r in found if r.org == "acme"], Links(root, public=True), room(2), left, *NAMES)
    assert page.count('class="set"') == 2 and "<b>bolt" not in page and "<h1>acme, v1.0</h1>" in page
    assert 'href="../rules.html"' in page and '<script src="../charts.js">' in page and "round/v1.0/acme/x.txt" in page
    cells = {name: cell(found[0]) for name, cell in COLUMNS.items()}
    assert [cell.text for cell in cells.values()][:4] == ["box", "scaffold", "strong", "closed"]
    assert cells["rank"].text == "1" and cells["system"].href.startswith("#")


@pytest.mark.parametrize("end", [".html", ""])
@pytest.mark.parametrize("name", ["../../x", "..", "", "Index", "a" * 500, "<script>", "rules.html", "V1.1"])
def test_no_name_of_an_organisation_or_round_leads_elsewhere(name, end):
    taken = ("index.html", "rules.html")
    found = [made.lower() for made in names([name, "x", "X", "v1.1"], taken, "round", end).values()]
    assert len(set(found)) == 4 and not set(taken) & set(found)
    for made in found:
        assert made.endswith(end) and made.strip(".") and not made.startswith(".")
        assert len(made) < 90 and not set(made) & set("/\\<>\"' ")
