"""What a terminal would obey is escaped."""

import pytest

from benchmark.printable import printable


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("", ""),
        ("ü a\\b", "ü a\\b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\n\tb\0", "a\\r\\n\\tb\\x00"),
        ("\x9b", "\\x9b"),
        ("\u202e\u2028", "\\u202e\\u2028"),
        ("\udcff\ud800", "\\udcff\\ud800"),
        ("\ufffe", "\\ufffe"),
    ],
)
def test_controls_and_lone_surrogates_are_escaped_and_nothing_else(text, safe):
    assert printable(text) == safe and printable(safe) == safe
