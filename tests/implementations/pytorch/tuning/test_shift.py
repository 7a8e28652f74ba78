from types import SimpleNamespace

import pytest

from benchmark.tuning.campaign import campaign_of
from implementations.pytorch.tuning.shift import asked, of_entry, to_register
from rules.registry import Registry, Request, now

CAMPAIGN = campaign_of(
    {"problem": "smoke", "batch_size": 2, "trials": 4, "budget": {"epochs": 8}, "space": {"a": {"values": [1]}}}, ""
)


def test_without_an_entry_a_campaign_draws_its_own_shift():
    assert of_entry(SimpleNamespace(entry=None), CAMPAIGN, "scaffold") is None


def test_an_entry_is_that_of_its_request():
    request = Request("a", "b", "c", "d", "a" * 64, "b" * 64)
    assert asked(Registry("v1.0").draw(request, now(), "1" * 64)).text == request.text


def test_a_step_that_cannot_be_made():
    with pytest.raises(ValueError, match="exit code 3"):
        to_register(SimpleNamespace(), CAMPAIGN, "scaffold", lambda log: 3)
