"""The expected time in words, in every view."""

import csv
import io
import json

import pytest

from results import differences as d
from results.html.report import html_text
from results.measures.registry import MEASURES
from results.tables.comparison import json_text, pair_words
from results.tables.expected import MEANS
from results.tables.links import Links
from results.tables.procurement import procurement
from results.tables.ranking import ranking
from results.tables.text import csv_text, markdown_text, terminal_text
from results.tables.words import facts
from rules.edition import load


@pytest.fixture
def two(tree, new_log, points):
    """Sets whose runs need 4 to 6 epochs, the second one 6 % slower; the edition has points at a batch of 8."""
    points({8: [4, 5, 5, 5, 6, 5]})
    for org, each in (("a", 100), ("b", 106)):
        logs = [
            new_log.scaffold(each * n + i / 10 + 2, epochs=n, seed=ord(org) + 10 * n + i)
            for i, n in enumerate((4, 5, 5, 6, 6))
        ]
        tree.set(logs, org=org)
    return tree.results()


@pytest.fixture
def without(tree, new_log):
    """A set with a batch size that the edition has no points at."""
    tree.set(new_log.five(global_batch_size=3000))
    return tree.results()


def test_what_each_measure_can_tell_of_two_sets(two):
    found = d.sides(two)
    (words,) = (pair_words(pair, found) for pair in d.pairs(found))
    told = [line for line in words if line.startswith("time to target (")]
    assert len(told) == 1 and told[0].startswith(
        "time to target (ranks sets): not distinguishable; expected time (ranks none): B needs 1.06"
    )
    body = json.loads(json_text([(found, d.pairs(found))]))["comparisons"][0]
    assert told[0] in body["pairs"][0]["said"]


def test_a_comparison_says_which_set_has_none(two, without):
    found = d.sides([two[0], without[0]])
    (words,) = (pair_words(pair, found) for pair in d.pairs(found))
    assert any("(ranks none): B has none: the edition has no reference points at a batch" in line for line in words)


def test_every_view_has_it_and_says_what_it_is(two, tmp_path):
    seconds = MEASURES["expected_seconds"].get(two[0])
    said = ranking(two, Links(tmp_path)).lines[0].cells[-1].text
    table = terminal_text(two)
    assert table.splitlines()[1].endswith("expected time, s") and f"  {said}\n" in table
    assert table.count(MEANS) == 2 and "standard errors " in table
    assert "expected time, s" in markdown_text(two) and f"| {said} |" in markdown_text(two)
    row = next(csv.DictReader(io.StringIO(csv_text(two))))
    assert float(row["expected_low"]) < float(row["expected_seconds"]) == seconds < float(row["expected_high"])
    assert row["expected_why"] == ""
    assert dict(facts(two[0]))["expected time"].endswith(MEANS)
    assert "expected time, s" in html_text(two, tmp_path) and "ranks nothing" in html_text(two, tmp_path)


def test_a_set_without_one_says_why_in_every_view(without, tmp_path):
    known = ", ".join(map(str, sorted(load("v1.0").problems["smoke"].reference_epochs)))
    why = f"the edition has no reference points at a batch size of 3000: those known are {known}"
    assert f"expected time: none: {why}" in terminal_text(without)
    assert "expected time, s" not in terminal_text(without) and "expected time, s" not in html_text(without, tmp_path)
    assert why in csv_text(without) and why in procurement(without)["text"] and why in html_text(without, tmp_path)
