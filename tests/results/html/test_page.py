"""Pieces of pages: strangers' text is shown and obeyed nowhere."""

from pathlib import Path

from compliance.finding import Finding
from results.html.page import Cell, Links, anchor, chip, findings, number_cell, safe, table
from results.statistics.standing import Standing


def finding(severity="error", waived=""):
    return Finding("logs/result_0.txt", 3, "RUN01", severity, "Something <holds>", waived=waived)


def test_text_is_escaped_and_controls_are_shown():
    assert safe("<b>\x1b") == "&lt;b&gt;\\x1b"


def test_links_are_relative_and_carry_no_scheme():
    links = Links(Path("/a/b"))
    assert links.place("/a/c/result_0.txt", 7) == "../c/result_0.txt:7"
    assert 'href="../c/result_0.txt#L7"' in links.to("x", "/a/c/result_0.txt", 7)
    assert 'href="./javascript%3Ax"' in links.to("x", "/a/b/javascript:x") or 'href="javascript%3Ax"' in links.to(
        "x", "/a/b/javascript:x"
    )


def test_chips_have_the_colour_of_the_standing():
    assert chip(Standing()) == '<span class="chip clean">clean</span>'
    assert 'bad">1 error<' in chip(Standing((finding(),)))
    assert 'look">review<' in chip(Standing((finding("review"),)))
    assert 'look">1 waived<' in chip(Standing((finding(waived="R: known"),)))


def test_findings_are_errors_first_and_waived_ones_last():
    found = findings(Standing((finding(waived="R: <known>"), finding("review"), finding())), Links(Path.cwd()))
    order = [found.index(text) for text in ("RUN01 Something", "review: Something", "[waived by R: &lt;known&gt;]")]
    assert order == sorted(order) and "<holds>" not in found
    assert findings(Standing(), Links(Path.cwd())) == "<p class=soft>The checker found nothing.</p>"


def test_tables_sort_by_value():
    drawn = table(["a", "b"], [[Cell("x"), number_cell(1.5)], [Cell("y"), number_cell(None)]])
    assert 'data-v="1.5"' in drawn and 'data-v=""' in drawn and drawn.count("<button") == 2


def test_anchors_hold_nothing_of_strangers():
    assert anchor("<x>") == anchor("<x>") != anchor("<y>") and anchor("<x>").isalnum()
