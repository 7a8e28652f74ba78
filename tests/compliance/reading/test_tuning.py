import pytest

from compliance.reading.discovery import discover
from compliance.reading.ledger import read_beside
from compliance.reading.tree import is_tuning, place_of
from compliance.reading.tuning import entry_of, read


def trials_of(tuned):
    (submission,) = discover([str(tuned.root)]).submissions
    return next(s for s in submission.sets if s.trials)


def test_a_campaign_is_read(tuned):
    trials = trials_of(tuned)
    found = read(trials.path, read_beside(trials.path, trials.name))
    assert found.fault is None and found.campaign == tuned.campaign
    assert found.opened.shift == tuned.said[1].shift and entry_of(trials) is None


@pytest.mark.parametrize("damage", ["none", "link", "folder", "text", "ledger"])
def test_what_cannot_be_read_is_said(tuned, damage):
    trials, path = trials_of(tuned), tuned.folder / "campaign.json"
    if damage != "ledger":
        path.unlink()
    if damage == "link":
        path.symlink_to("/dev/zero")
    elif damage == "folder":
        path.mkdir()
    elif damage == "text":
        path.write_text("[" * 100_000)
    found = read(trials.path, None)
    assert found.opened is None and found.fault[0] == ("ledger.jsonl" if damage == "ledger" else "campaign.json")
    assert "wanted" in found.fault[1]


def test_where_campaigns_lie(tuned):
    place = place_of(tuned.folder)
    assert (place.org, place.system, place.scaling, place.benchmark) == ("acme", "box", "tuning", "scaffold")
    assert (place.campaign, place.confirmation) == ("first", False)
    assert place_of(tuned.folder / "confirmation").confirmation
    assert is_tuning(("box", "tuning", "scaffold", "one")) and not is_tuning(("box", "strong", "scaffold", "one"))
    assert not is_tuning(("box", "tuning", "scaffold", "confirmation"))
