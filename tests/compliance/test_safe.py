"""Strangers' text for each place where it is written, which tests/results/test_strangers.py tries in every output; and
what commands print: a reader who goes is fine, a full or closed stdout is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.safe import address, command, command_property, csv_cell, html, markdown, progress, put, tell, values
from tests.support import ROOT

BIG = "from compliance.safe import put\nput('x' * 1_000_000)\n"


def started(command, **options):
    return subprocess.run([sys.executable, *command], cwd=ROOT, text=True, stderr=subprocess.PIPE, **options)


def test_of_values_for_json_every_text_is_printable():
    assert values({"a\x1b": ["\ud800", 1, None, {"b": ("\r",)}]}) == {"a\\x1b": ["\\ud800", 1, None, {"b": ["\\r"]}]}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=cmd|' /c calc'!A1", "'=cmd|' /c calc'!A1"),
        ("-1", "'-1"),
        (" =1", "' =1"),
        ("a;=1; @b", "a;'=1;' @b"),
        ("a=1, -2", "a=1, -2"),
        ("a\rb\x1b", "a\\rb\\x1b"),
        (-1.5, -1.5),
    ],
)
def test_a_spreadsheet_takes_no_cell_for_a_formula(text, cell):
    assert csv_cell(text) == cell


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b\n<c>", "a\\|b\\\\n&lt;c&gt;"),
        ("[a](http://x)", "\\[a\\](http:/\\/x)"),
        ("www.x.org", "www\\.x.org"),
        ("a@b.c", "a\\@b.c"),
        ("# a", "\\# a"),
        ("  - a", "\\- a"),
        ("---", "\\---"),
        ("=", "\\="),
        ("12. a", "12\\. a"),
        ("-", "-"),
        ("1.5", "1.5"),
        ("&lt;", "&amp;lt;"),
    ],
)
def test_markdown_of_strangers_is_text(text, safe):
    assert markdown(text) == safe


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


def test_text_is_written_and_lines_are_told_without_controls(capsys):
    put("a\udcff\n")
    tell("b\x1b")
    out = capsys.readouterr()
    assert (out.out.encode(errors="backslashreplace"), out.err) == (b"a\\udcff\n", "b\\x1b\n")


def test_progress_is_shown_on_a_terminal_alone(capsys, monkeypatch):
    assert progress() is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    show = progress()
    for done in range(1, 34):
        show(done, 33)
    shown = "\r16 of 33 logs\r32 of 33 logs"
    assert capsys.readouterr().err == f"{shown}\r{' ' * 40}\r"
    monkeypatch.setattr(sys, "stderr", None)
    assert progress() is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_stdout_is_2_and_one_line(tree):
    with open("/dev/full", "w") as full:
        done = started(["compliance/check.py", str(tree.root)], stdout=full)
    assert done.returncode == 2
    assert done.stderr == "check.py: stdout: cannot be written: No space left on device\n"


def test_a_closed_stdout_is_2_and_one_line(tree):
    done = started(["compliance/check.py", str(tree.root)], preexec_fn=lambda: os.close(1))
    assert done.returncode == 2
    assert done.stderr == "check.py: stdout: found it closed, wanted a place to write to\n"


def test_a_closed_stderr_stops_nothing():
    done = subprocess.run(
        [sys.executable, "compliance/check.py", "nowhere"], cwd=ROOT, stdout=-1, preexec_fn=lambda: os.close(2)
    )
    assert done.returncode == 2 and b"nowhere: error: could not be checked" in done.stdout


def test_a_reader_who_has_seen_enough_is_fine():
    reading, writing = os.pipe()
    process = subprocess.Popen([sys.executable, "-c", BIG], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.read(reading, 10)
    os.close(reading)
    assert process.communicate(timeout=60)[1] == b"" and process.returncode == 0
