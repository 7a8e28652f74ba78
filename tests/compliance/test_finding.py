"""Findings as they are told: place, code, sentence, found and wanted; nothing in them that a terminal obeys."""

from dataclasses import replace

import pytest

from compliance.finding import LONGEST, Finding, among, ancestors, counted, errors, listed, show, sort_key

SEED = Finding("a/result_1.txt", 8, "SEED03", "error", "A seed is fresh", "seed 5", "48 bits")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"wanted": ""}, "a/result_1.txt:8: SEED03 A seed is fresh (found seed 5)"),
        ({"found": ""}, "a/result_1.txt:8: SEED03 A seed is fresh (wanted 48 bits)"),
        ({"found": "", "wanted": ""}, "a/result_1.txt:8: SEED03 A seed is fresh"),
        ({"severity": "review"}, "a/result_1.txt:8: SEED03 review: A seed is fresh (found seed 5, wanted 48 bits)"),
        ({"path": "a\nb", "found": "\x1b[31m"}, "a\\nb:8: SEED03 A seed is fresh (found \\x1b[31m, wanted 48 bits)"),
    ],
)
def test_a_finding_is_a_place_a_code_and_a_sentence(fields, text):
    assert replace(SEED, **fields).text() == text


@pytest.mark.parametrize(
    ("found", "wanted", "told"),
    [("4", "5", ""), ("4", "", ""), ("4", "6", " (found 4, wanted 6)"), ("run", "", " (found run)")],
)
def test_what_a_sentence_says_is_not_said_again(found, wanted, told):
    sentence = "The set has 4 runs, 5 are required"
    made = replace(SEED, sentence=sentence, found=found, wanted=wanted)
    assert made.said() == sentence + told


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([1, "a"], "[1, 'a']"),
        ("x" * LONGEST, "x" * LONGEST),
        ("x" * (LONGEST + 1), "x" * (LONGEST - 3) + "..."),
        ("a\tb", "a\\tb"),
    ],
)
def test_a_strangers_value_is_short_and_on_one_line(value, text):
    assert show(value) == text


def test_ancestors_are_nearest_first():
    assert (ancestors("a/b/c"), ancestors("/a")) == (["a/b/c", "a/b", "a"], ["/a", ""])


def test_findings_come_in_the_order_of_their_places():
    places = [("a", 2, "A01"), ("a", 10, "A01"), ("a", 10, "B01"), ("b", 1, "A01")]
    made = [Finding(path, line, code, "error", "") for path, line, code in places]
    shuffled = [made[i] for i in (2, 0, 3, 1)]
    assert sorted(shuffled, key=sort_key) == made


def test_errors_are_those_that_no_waiver_covers():
    waived, warning = replace(SEED, waived="r: agreed"), replace(SEED, severity="warning")
    assert errors([waived, SEED, warning]) == [SEED]


def test_things_are_counted_in_words():
    assert [counted(n, "error") for n in (0, 1, 2)] == ["0 errors", "1 error", "2 errors"]
    told = [listed(["a"] * n, 2, "; ") for n in (0, 1, 2, 3)]
    assert told == ["", "a", "a; a", "a; a and 1 more"] and listed(["a", "b"], 2) == "a, b"
    assert [among(["a"] * n, ["a"] * 5) for n in (1, 2, 5)] == ["", ", in 2 of 5 logs", ", in 5 of 5 logs"]
