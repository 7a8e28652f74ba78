"""Settings of runs: what the rules let them be, stated in one place."""

import pytest

from rules.key import Key
from rules.settings import settings_of

CLOSED, BOTH = Key(closed=True, equals=0.9), Key(kind="number", above=0)
KEYS = {"opt_momentum": CLOSED, "opt_rate": BOTH}
REPEATED = {"opt_momentum": "momentum", "opt_rate": "rate", "not_logged": "depth"}


def one(name, value):
    return settings_of({name: value}, KEYS, REPEATED, "here")[name]


def test_a_free_setting_keeps_what_its_key_asks_for_in_both_divisions():
    assert one("depth", "free").within("closed") == one("depth", "free").within("open") == Key()
    assert one("rate", "free").within("closed") == one("rate", "free").within("open") == BOTH


def test_a_setting_has_the_limits_of_its_key_in_the_closed_division():
    setting = one("momentum", "key")
    assert setting.within("closed") == CLOSED and setting.within("open") == Key()
    assert setting.limits is None  # the key is judged, not the setting too


def test_a_setting_has_limits_of_its_own_in_the_closed_division():
    setting = one("weight", {"kind": "number", "min": 0, "max": 0.5})
    assert setting.within("closed") == setting.limits == Key(kind="number", min=0, max=0.5)
    assert setting.within("open") == Key() and one("rate", {"max": 1}).within("open") == BOTH


def test_an_optional_setting_may_be_left_out():
    setting = one("depth", {"equals": 1, "optional": True})
    assert setting.optional and setting.within("closed") == Key(equals=1)
    assert not one("depth", {"equals": 1}).optional and not one("depth", "free").optional
    with pytest.raises(ValueError, match="wanted free, key or limits"):
        one("depth", {"equals": 1, "optional": "yes"})


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("momentum", "free", "wanted key, as a key of the log that repeats it has limits"),
        ("momentum", {"equals": 0.9}, "wanted key, as a key"),  # a number is stated once
        ("rate", "key", "wanted no key, as none of the log that repeats it has limits"),
        ("depth", "key", "wanted no key"),
        ("weight", "fixed", "wanted free, key or limits: above, below"),
        ("weight", {}, "wanted free, key or limits"),
        ("weight", {"closed": True}, "wanted free, key or limits"),
        ("weight", {"max": "much"}, "wanted float"),
    ],
)
def test_what_is_stated_nowhere_or_twice_is_refused(name, value, wanted):
    with pytest.raises(ValueError, match=rf"^here: settings\.{name}.*{wanted}"):
        one(name, value)
