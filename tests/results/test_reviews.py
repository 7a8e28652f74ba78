"""--reviews: what reviewers have said of a submission, beside each of its figures."""

import json

import pytest

from results import site, summarize


@pytest.fixture
def org(tree, new_log):
    """A round with one set as published; its organisation."""
    tree.published(new_log.sets[0])
    return new_log.sets[0]["org"]


def test_what_reviewers_said_stands_with_each_set(tree, org, tmp_path, capsys):
    told, page, folder = "1 of 7 points accepted, 1 objection", tmp_path / "page.html", tmp_path / "site"
    signed = {"submission": org, "who": "R. Viewer", "when": "2026-11-22"}
    entries = [
        {**signed, "rule": "EVL90", "verdict": "open", "submission": "umbrella"},
        {**signed, "rule": "SEED90", "verdict": "accept"},
        {**signed, "rule": "EVL90", "verdict": "object", "note": "a jump"},
    ]
    (tmp_path / "review.yaml").write_text(json.dumps(entries), encoding="utf-8")
    reviewed = [str(tree.root), "--reviews", str(tmp_path / "review.yaml")]
    assert summarize.main(reviewed) == 0
    out = capsys.readouterr()
    assert f"\n    reviewed: {told}\n" in out.out  # the edition has seven for people
    assert "review.yaml:1: found submission 'umbrella', wanted one that was judged" in out.err
    assert summarize.main([*reviewed, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["reviewed"] == told
    summarize.main([*reviewed, "--output", str(page)])
    assert site.main([*reviewed, "--out", str(folder)]) == 0
    for path in (page, *folder.glob("*/[!i]*.html")):
        assert f"<dt>reviewed</dt><dd>{told}</dd>" in path.read_text()


def test_nobody_was_asked(tree, org, capsys):
    assert summarize.main([str(tree.root)]) == 0
    assert "reviewed" not in capsys.readouterr().out
    assert summarize.main([str(tree.root), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["reviewed"] is None
