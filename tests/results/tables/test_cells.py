"""Tables of a page."""

from compliance.finding import Finding
from results.statistics.standing import Standing
from results.tables.cells import Cell, Line, Table, number, tone, verdict


def finding(severity="error", waived=""):
    return Finding("result_0.txt", 3, "RUN01", severity, "Something", waived=waived)


def test_numbers_are_sorted_by_value_and_may_be_missing():
    assert number(1234.0) == Cell("1,234", 1234.0, True) and number(0.5, "half").text == "half"
    assert number(None) == number(float("nan"), "x") == Cell("-", None, True)


def test_a_column_is_numeric_if_all_of_it_is():
    lines = [Line([Cell("a"), number(1), number(2)]), Line([Cell("b"), number(None), Cell("x")])]
    assert Table(("", "n", "m"), lines).numeric == [False, True, False]
    assert Table(("n",), []).numeric == [False]


def test_a_verdict_has_the_colour_of_the_standing():
    assert verdict(Standing()) == Cell("clean", tone="clean")
    assert verdict(Standing((finding(),))) == Cell("1 error", tone="bad")
    assert tone(Standing((finding("review"),))) == tone(Standing((finding(waived="R: known"),))) == "look"
    assert tone(Standing(aside=(finding(),))) == "look"


def test_as_text_a_cell_has_its_second_line_in_brackets():
    table = Table(("system", "node", ""), [Line([Cell("box", below="acme"), Cell("8 x A"), number(1)])], wide="node")
    assert table.words == [["system", "node", ""], ["box (acme)", "8 x A", "1"]]
    assert table.narrow == [["system", ""], ["box (acme)", "1"]]
