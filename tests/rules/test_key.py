import pytest

from rules.key import Key, plain


@pytest.mark.parametrize(
    ("key", "words", "fixed"),
    [
        (Key(kind="number", required=True), "", False),
        (Key(equals=0), "0", True),
        (Key(close=1e-6), "1e-06", True),
        (Key(choices=("adam",)), "adam", True),
        (Key(choices=(0.99, 0.999)), "0.99, 0.999", False),
        (Key(min=0, max=0.995), "from 0 to 0.995", False),
        (Key(above=0, below=1), "above 0 below 1", False),
        (Key(kind="list", length=2), "2 values", False),
    ],
)
def test_what_it_leaves(key, words, fixed):
    assert (key.words, key.fixed) == (words, fixed)


def test_values_are_as_a_config_has_them():
    assert plain([None, False, 1, 0.0006, 100.0, "auto"]) == "[null, false, 1, 0.0006, 100, auto]"
