import pytest

from rules.key import Key
from rules.settings import settings_of

CLOSED, BOTH = Key(closed=True, equals=0.9), Key(kind="number", above=0)
KEYS = {"opt_momentum": CLOSED, "opt_rate": BOTH}
REPEATED = {"opt_momentum": "momentum", "opt_rate": "rate", "not_logged": "depth"}


def one(name, value):
    return settings_of({name: value}, KEYS, REPEATED, "here")[name]


@pytest.mark.parametrize(
    ("name", "value", "closed", "open_"),
    [
        ("depth", "free", Key(), Key()),
        ("rate", "free", BOTH, BOTH),  # what its key asks for
        ("momentum", "key", CLOSED, Key()),
        ("weight", {"kind": "number", "min": 0, "max": 0.5}, Key(kind="number", min=0, max=0.5), Key()),
        ("rate", {"max": 1}, Key(max=1), BOTH),
    ],
)
def test_a_setting_has_limits_in_each_division(name, value, closed, open_):
    setting = one(name, value)
    assert (setting.within("closed"), setting.within("open")) == (closed, open_)
    assert (setting.limits is None) is (type(value) is str)  # else the setting is judged, and not the key alone


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
