"""Tables as text."""

from compliance.finding import Finding
from results.tables.text import finding_text, terminal_text, title


def test_titles_leave_out_what_is_unknown_and_show_controls():
    assert title(("v1.0", "x", "", "strong", "closed")) == "v1.0 · x · closed division · time to train (capability)"
    assert title(("v1.0", "\x1b[31m", "p", "weak", "open")) == "v1.0 · \\x1b[31m · p · open division · throughput"


def test_a_waived_finding_says_who_and_why():
    found = Finding("a", 3, "RUN01", "error", "Something holds", waived="R: known\x1b")
    assert finding_text(found) == "a:3: RUN01 Something holds [waived by R: known\\x1b]"


def test_what_has_no_result_comes_last():
    assert terminal_text([], [("a/\x1bb", "by itself")]) == "no result\n  a/\\x1bb: by itself\n"
    assert terminal_text([]) == ""
