"""Power and false alarms: the page has what the command prints, and what it says of both tables is so."""

import re

import numpy as np
import pytest

from perf import telling
from perf.curves.runs import read
from perf.telling import DOCS, SETS, below, told_apart

ANEW = "honest, points drawn anew"


def rows(first):
    """The rows of the page's table whose head begins with a word, with the head."""
    table = (DOCS / "convergence.md").read_text(encoding="utf-8").partition(f"\n| {first} |")[2].partition("\n\n")[0]
    lines = f"| {first} |{table}".splitlines()
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in (lines[0], *lines[2:])]


def series():
    return [one for one in read(DOCS / "convergence.yaml") if one.published and len(one.crossings) >= telling.LEAST]


def test_the_page_has_every_series_and_set():
    head, *body = rows("the set")
    assert head[1:] == [telling.named(one) for one in series()] and [row[0] for row in body] == [ANEW, *SETS]


@pytest.mark.slow
def test_the_page_has_what_the_command_finds():
    _, *body = rows("the set")
    for column, one in enumerate(series(), 1):
        for row in body:
            draw = SETS["honest" if row[0] == ANEW else row[0]]
            run23, run22, mlperf = map(telling.percent, below(np.array(one.crossings), draw, 2000, row[0] == ANEW))
            assert row[column] == f"{run23}, {run22} ({mlperf})", (row[0], one.problem)


def test_the_page_says_how_many_honest_sets_are_found_at_most():
    found = {row[0]: [[*map(float, re.findall(r"[\d.]+", cell))] for cell in row[1:]] for row in rows("the set")[1:]}
    (errors, reviews, _), (errors_anew, reviews_anew, _) = (
        map(max, zip(*found[row], strict=True)) for row in ("honest", ANEW)
    )
    assert errors <= 0.5 and errors_anew <= 1  # of sets with points drawn anew, once in a hundred
    page = " ".join((DOCS / "convergence.md").read_text(encoding="utf-8").split())
    assert f"A reviewer looks at up to {reviews} and {reviews_anew} % of honest sets." in page


def test_the_expected_time_tells_what_the_time_to_target_does_not():
    crossings = np.array([3.9, 4.2, 4.4, 4.6, 4.8, 5.1, 5.5, 6.2])
    times, expected = told_apart(crossings, 0.05, 0.01, 60)
    assert times < 0.3 and expected == 1
    assert told_apart(crossings, 0.0, 0.01, 60)[1] < 0.2


def test_faster_sets_are_found_and_honest_ones_are_not():
    crossings = 4.5 + np.linspace(-0.45, 0.45, 12)
    by_error, by_review, _ = below(crossings, SETS["converges 15 % faster"], 100)
    assert by_review >= by_error > 0.7
    assert below(crossings, SETS["honest"], 100)[0] == 0
