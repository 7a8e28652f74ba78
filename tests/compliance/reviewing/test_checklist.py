"""What reviewers say of each point: what an entry must hold, whose word stands, and how it is told."""

import pytest

from compliance.reviewing.checklist import Checklist, Point, Review, checklist

SIGNED = {"rule": "SEED90", "submission": "v1.0/acme", "verdict": "accept", "who": "R. Viewer", "when": "2026-11-22"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "accepted by R. Viewer, 2026-11-22"),
        ({"verdict": "object", "note": "no\nregistry"}, "objection by R. Viewer, 2026-11-22: no\\nregistry"),
        ({"verdict": "open", "who": "", "when": ""}, "open"),
        ({"verdict": "open", "note": "ask them"}, "open by R. Viewer, 2026-11-22: ask them"),
    ],
)
def test_an_entry_says_who_says_what_and_when(change, said):
    assert Review(**SIGNED | change).text() == said


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "Accept"}, "verdict: found 'Accept', wanted one of accept, object, open"),
        ({"who": " "}, "who: found nothing, wanted text, since the verdict is accept"),
        ({"when": ""}, "when: found nothing"),
        ({"verdict": "object"}, "note: found nothing, wanted text, since the verdict is object"),
        ({"when": "22.11.2026"}, "when: found '22.11.2026', wanted a day"),
        ({"rule": ""}, "rule: found nothing"),
        ({"submission": "/"}, "submission: found nothing"),
    ],
)
def test_an_entry_that_is_not_signed_or_says_nothing_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Review(**SIGNED | change)


def review(verdict, who="R. Viewer", rule="SEED90"):
    return Review(rule, "acme", verdict, who, "2026-11-22" if who else "", "because" if verdict == "object" else "")


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ([], "open"),
        ([("accept", "a")], "accept"),
        ([("accept", "a"), ("open", "")], "accept"),  # the line of the template that nobody signed
        ([("accept", "a"), ("open", "b")], "open"),
        ([("accept", "a"), ("object", "b")], "object"),
    ],
)
def test_an_objection_stands_and_what_somebody_leaves_open_is_open(said, stands):
    assert Point("SEED90", tuple(review(*one) for one in said)).verdict == stands


def test_points_are_the_rules_and_what_is_said_of_others():
    made = checklist(["EVL90", "SEED90"], [review("accept"), review("object", rule="SEED03"), review("accept", "b")])
    points = [(p.code, p.verdict, len(p.reviews)) for p in made.points]
    assert points == [("EVL90", "open", 0), ("SEED90", "accept", 2), ("SEED03", "object", 1)]
    assert made.words() == "1 of 3 points accepted, 1 objection"
    assert [p.code for p in made.of("open")] == ["EVL90"]
    assert Checklist((Point("EVL90"),)).words() == "0 of 1 point accepted"
    twice = [review("object"), review("object", rule="EVL90")]
    assert checklist(["EVL90", "SEED90"], twice).words() == "0 of 2 points accepted, 2 objections"
