import pytest

from benchmark.ledger import Asked, Drawn, Frozen, append, read_ledger
from benchmark.tuning.folder import OWN, freeze, open_folder
from benchmark.tuning.points import point
from tests.support.campaigns import campaign

CAMPAIGN, OTHER = campaign(), campaign(parallel=2)


def test_a_campaign_is_frozen_before_its_shift_is_drawn(tmp_path):
    found = freeze(tmp_path / "new", CAMPAIGN)
    first, second = read_ledger(tmp_path / "new" / "ledger.jsonl").entries
    assert first.said == Frozen(CAMPAIGN.digest) and second.said == Drawn(found.shift, OWN)
    assert (tmp_path / "new" / "campaign.json").read_text() == CAMPAIGN.text
    assert found.line == second.line and found.settings(1) == {"batch_size": 2, "epochs": 8, **found.point(1)}
    assert found.point(1) == point(CAMPAIGN, found.shift, 1)
    for index in (-1, 4):
        with pytest.raises(ValueError, match=f"found trial {index}, wanted 0 to 3"):
            found.point(index)


def test_what_is_frozen_and_drawn_stays(tmp_path):
    found = freeze(tmp_path, CAMPAIGN)
    assert freeze(tmp_path, CAMPAIGN) == found == open_folder(tmp_path)
    with pytest.raises(ValueError, match="found another campaign"):
        freeze(tmp_path, OTHER)
    with pytest.raises(ValueError, match="wanted that of registry 3"):
        freeze(tmp_path, CAMPAIGN, ("a" * 64, "registry 3"))
    (tmp_path / "campaign.json").write_text(OTHER.text)
    with pytest.raises(ValueError, match="as frozen"):
        open_folder(tmp_path)
    assert freeze(tmp_path / "again", CAMPAIGN).shift != found.shift


def test_a_kill_between_the_two_is_mended(tmp_path):
    (tmp_path / "campaign.json").write_text(CAMPAIGN.text)
    append(tmp_path / "ledger.jsonl", Frozen(CAMPAIGN.digest))
    with pytest.raises(ValueError, match="wanted frozen in line 1 and drawn in line 2"):
        open_folder(tmp_path)
    assert freeze(tmp_path, CAMPAIGN).shift


def test_points_that_an_outside_sampler_was_asked_for(tmp_path):
    freeze(tmp_path, campaign(sampler="optuna"))
    with pytest.raises(ValueError, match="found no point that the sampler was asked for"):
        open_folder(tmp_path).point(0)
    append(tmp_path / "ledger.jsonl", Asked({"rate": 0.002}, 0))
    append(tmp_path / "ledger.jsonl", Asked({"rate": 0.003}, 0))
    assert open_folder(tmp_path).point(0) == {"rate": 0.002}  # the first counts
