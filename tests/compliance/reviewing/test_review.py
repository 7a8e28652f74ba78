"""A file of reviews: whose it is, what is refused, and where what it says is shown."""

import json
from dataclasses import replace

import pytest

from compliance.engine import judge
from compliance.finding import Finding
from compliance.reviewing.review import MOST_IDLE, points, read_reviews, with_reviews
from rules.edition import load

ENTRY = {"rule": "SEED90", "submission": "v1.0/acme", "verdict": "accept", "who": "R. Viewer", "when": "2026-11-22"}
PEOPLE = [code for code, rule in load("v1.0").rules.items() if rule.by_review]


@pytest.fixture
def reviews(tmp_path):
    """Writes a file of reviews."""

    def write(*changes):
        file = tmp_path / "review.yaml"
        file.write_text("".join(f"- {json.dumps(ENTRY | change)}\n" for change in changes))
        return file

    return write


def test_reviews_are_shown_and_do_not_change_the_verdict(run, tree, reviews):
    against = {"rule": "EVL90", "verdict": "object", "note": "a jump"}
    code, out, err = run(tree.root, "--reviews", reviews({}, against))
    assert (code, err) == (0, "")
    still = ", ".join(c for c in PEOPLE if c not in ("SEED90", "EVL90"))
    assert f"  reviewed: 1 of {len(PEOPLE)} points accepted, 1 objection; open: {still}\n" in out
    assert out.endswith("\n  passed, 1 objection by reviewers\n")


def test_a_submission_is_the_end_of_its_path_in_whole_names(tree, reviews, monkeypatch):
    file = read_reviews(reviews({"submission": "acme"}), [])
    assert file.of(str(tree.root)) == file.of("elsewhere/acme") and len(file.of("acme")) == 1
    assert file.of("x/acm") == file.of("acme/x") == file.of("x/bacme") == []
    monkeypatch.chdir(tree.root)
    assert len(file.of(".")) == 1  # wherever the reviewer stands
    assert len(read_reviews(reviews({}, {"who": "A. Other"}), []).of(".")) == 2
    with pytest.raises(ValueError, match="reviews inside of"):
        read_reviews(reviews({}), [tree.root.parents[1]])


@pytest.mark.parametrize("more", [0, 1])
def test_entries_for_what_was_not_judged_are_listed_up_to_a_limit(tree, law, reviews, more):
    others = ({"submission": f"other{n}"} for n in range(MOST_IDLE + more))
    file = read_reviews(reviews({}, *others), [])
    listed = file.idle(judge([tree.root], rules=law))
    assert listed[0] == f"{file.path}:2: found submission 'other0', wanted one that was judged"
    assert listed[MOST_IDLE:] == [f"{file.path}: and 1 more such entries"][:more]


def test_points_are_rules_for_people_and_findings_for_review(tree, law):
    (submission,) = judge([tree.root], rules=law).submissions
    edition = load("v1.0", law)
    assert points(submission, edition) == PEOPLE
    runs = submission.sets[0]
    surprise = Finding(runs.path, 1, "RUN22", "review", "S")

    def found(**fields):
        one = replace(runs, findings=(replace(surprise, **fields),))
        return points(replace(submission, sets=(one,)), edition)

    assert set(found()) == {*PEOPLE, "RUN22"} and list(found()) == [c for c in edition.rules if c in found()]
    assert found(severity="warning") == found(waived="r: x") == PEOPLE


def test_each_set_has_the_count_and_others_entries_are_told(tree, law, reviews, capsys):
    verdict = judge([tree.root], rules=law)
    file = read_reviews(reviews({}, {"submission": "other"}), [])
    made = with_reviews(verdict, file, {"v1.0": load("v1.0", law)})
    assert capsys.readouterr().err.splitlines() == file.idle(verdict)
    assert made.submissions[0].sets[0].reviewed == f"1 of {len(PEOPLE)} points accepted"
    assert verdict.submissions[0].sets[0].reviewed == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([{"rule": "SEED99"}], "review.yaml:1: unknown rule 'SEED99'; did you mean 'SEED"),
        ([{}, {}], "review.yaml:2: found SEED90 of v1.0/acme by R. Viewer as in line 1"),
        ([{"verdict": "object"}], "review.yaml:1: note: found nothing"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(run, tree, reviews, changes, message):
    code, out, err = run(tree.root, "--reviews", reviews(*changes))
    assert (code, out) == (2, "") and message in err
