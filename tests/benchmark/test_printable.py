import pytest

from benchmark.printable import printable, reason


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ü a\\b", "ü a\\b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\n\tb\0", "a\\r\\n\\tb\\x00"),
        ("\u202e\u2028", "\\u202e\\u2028"),
        ("\udcff\ud800", "\\udcff\\ud800"),
        ("acme\u3164", "acme\\u3164"),
        ("acme\ufe0f\ufe00\u180f", "acme\\ufe0f\\ufe00\\u180f"),
        ("a\U000e0100b", "a\\U000e0100b"),
        ("\ufdff\ufe10\u3163", "\ufdff\ufe10\u3163"),  # beside them
    ],
)
def test_only_what_is_no_visible_character_is_escaped(text, safe):
    assert printable(text) == safe and printable(safe) == safe


def test_why_a_text_cannot_be_read_has_the_same_words_in_every_python():
    assert reason(RecursionError("Stack overflow")) == reason(RecursionError()) == "nested too deeply"
    assert reason(ValueError("Expecting value")) == "Expecting value"
