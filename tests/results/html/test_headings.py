"""Headings of the pages' tables: pointing at one says what it means."""

import re
from pathlib import Path

import pytest

from results.html.headings import RUNS
from results.html.report import html_text
from results.html.site_pages import files, rounds
from results.measures.registry import MEASURES


@pytest.fixture
def results(tree, new_log):
    """Two sizes of one system in two rounds: with factors, scaling, and bests over rounds."""
    for name in ("v1.0", "v1.1"):
        for units, seconds in ((4, 80.0), (8, 50.0)):
            logs = new_log.five(seconds, epochs=5, accelerators_per_node=units)
            tree.set(logs, system=f"box{units}", edition=name)
    return tree.results(edition="v1.0")


HEAD = r'<th scope="col"(?: class="n")?(?: title="([^"]*)")?>\s*(?:<button type="button">)?([^<]*)<'
OWN = {"each node, software", "setting", "value", "field"}  # of no measure
RANKED = {"system"}  # of the ranking


def test_every_heading_says_what_it_means(results):
    made = dict(files(rounds(results, []), Path.cwd()))
    pages = [html_text(results, Path.cwd()), *(text for name, text in made.items() if name.endswith(".html"))]
    found = [head for page in pages for head in re.findall(HEAD, page)]
    assert {name for title, name in found if not title} <= OWN | RANKED and len(found) > 100
    said = dict(map(reversed, found))
    assert said["division"] == MEASURES["division"].meaning
    assert said["evaluation"].startswith(MEASURES["evaluation_seconds"].meaning)
    assert said["v1.1"] == "minutes to train of its best set in this round"


def test_what_is_a_mean_of_runs_is_a_value_of_one():
    assert MEASURES["training_seconds"].meaning == f"mean {RUNS['training, s']}"
    assert not [text for text in RUNS.values() if "mean" in text]
