"""Strangers' text for each place where it is written; tests/results/test_strangers.py tries it in every output."""

import csv
import io

import pytest

from compliance.safe import address, command, command_property, csv_cell, html, markdown, markdown_code, values


def test_of_values_for_json_every_text_is_printable():
    assert values({"a\x1b": ["\ud800", 1, None, {"b": ("\r",)}]}) == {"a\\x1b": ["\\ud800", 1, None, {"b": ["\\r"]}]}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=cmd|' /c calc'!A1", "'=cmd|' /c calc'!A1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("+1+cmd", "'+1+cmd"),
        ("-1", "'-1"),
        (" =1", "' =1"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1; @b", "a;'=1;' @b"),
        ("a=1, -2", "a=1, -2"),
        ("a\rb\x1b", "a\\rb\\x1b"),
        ("\t=1", "\\t=1"),
        (-1.5, -1.5),
        (None, None),
    ],
)
def test_a_spreadsheet_takes_no_cell_for_a_formula(text, cell):
    assert csv_cell(text) == cell


def test_a_cell_is_one_row():
    out = io.StringIO()
    csv.writer(out).writerows([[csv_cell('a\r\n"b",c'), "d"]])
    assert list(csv.reader(io.StringIO(out.getvalue()))) == [['a\\r\\n"b",c', "d"]]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b\n<c>", "a\\|b\\\\n&lt;c&gt;"),
        ("[a](http://x)", "\\[a\\](http:/\\/x)"),
        ("![a]", "\\!\\[a\\]"),
        ("www.x.org", "www\\.x.org"),
        ("a@b.c", "a\\@b.c"),
        ("# a", "\\# a"),
        ("  - a", "\\- a"),
        ("+ a", "\\+ a"),
        ("---", "\\---"),
        ("=", "\\="),
        ("12. a", "12\\. a"),
        ("1)", "1\\)"),
        ("-", "-"),
        ("-1.5", "-1.5"),
        ("1.5", "1.5"),
        ("&lt;", "&amp;lt;"),
        ("", ""),
    ],
)
def test_markdown_of_strangers_is_text(text, safe):
    assert markdown(text) == safe


@pytest.mark.parametrize(("text", "safe"), [("a`b", "`a\u02bcb`"), ("", "` `"), ("<b>\x1b", "`<b>\\x1b`")])
def test_code_in_markdown_ends_where_it_should(text, safe):
    assert markdown_code(text) == safe


def test_html_is_escaped_also_for_attributes():
    assert html("<b>\"'&\x1b\ud800") == "&lt;b&gt;&quot;&#x27;&amp;\\x1b\\ud800"
    assert html(None) == "None"


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("a b/ü.txt", "a%20b/%C3%BC.txt"),
        ("\udcff:#?", "%FF%3A%23%3F"),
        ("\ud800", "%EF%BF%BD"),
        ("\udcc3\udc96", "%C3%96"),
    ],
)
def test_an_address_has_the_bytes_of_the_name(path, url):
    assert address(path) == url


def test_a_workflow_command_ends_where_it_should():
    assert command("100%\n::error::") == "100%25\\n::error::"
    assert command_property("a,b::c%") == "a%2Cb%3A%3Ac%25"
