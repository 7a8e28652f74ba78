"""Results as text."""

from results.tables.text import terminal_text


def test_what_has_no_result_comes_last():
    assert terminal_text([], [("a/\x1bb", "by itself")]) == "no result\n  a/\\x1bb: by itself\n"
    assert terminal_text([]) == ""
