import json

from compliance.engine import judge
from results.tuning.score import campaigns
from results.tuning.text import markdown_text, record, terminal_text


def test_a_campaign_in_words(verdict):
    text = terminal_text(campaigns(verdict))
    assert "v1.0 · tiny · time to solution with the tuning counted" in text
    assert (
        "its own " in text
        and " s are in the campaign's alone" in text
        and "50 % of the trials reached the target, and 1 trial was pruned: nobody knows" in text
    )
    assert "| first (acme · box) | 4 |" in markdown_text(campaigns(verdict))


def test_a_campaign_as_json(verdict):
    (found,) = map(record, campaigns(verdict))
    assert json.loads(json.dumps(found, allow_nan=False))["successes"] == 2
    assert found["with_tuning_seconds"]["low"] is None and found["why"] is None
    assert [b["k"] for b in found["best_of"]] == [1, 2, 3, 4]


def test_one_that_cannot_be_read_is_said(tuned, law):
    (tuned.folder / "campaign.json").unlink()
    scored = campaigns(judge([str(tuned.root)], rules=law))
    assert "no score" in terminal_text(scored) and record(scored[0])["why"]
    assert markdown_text(scored) == "" and terminal_text([]) == ""
