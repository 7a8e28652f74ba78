"""Text of strangers in every field that is shown, through every format: it stays text."""

import os
import subprocess
import sys

import pytest

from compliance.engine import judge
from tests import readers, strangers
from tests.support import ROOT


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(text, id=name, marks=() if name == "end" else pytest.mark.slow)
        for name, text in strangers.PAYLOADS.items()
    ],
)
def test_it_stays_text_everywhere(payload, tree, new_log):
    sets = strangers.plant(tree, new_log, lambda: payload)
    for verdict in (plain := judge([tree.root]), strangers.signed(tree.root, None, plain, lambda: payload)):
        for name, text in strangers.outputs(verdict, tree.root, sets):
            readers.check_output(name, text)


def test_it_is_in_every_output(tree, new_log):
    """But in the site's rules, and in its index where nothing has a figure."""
    sets = strangers.plant(tree, new_log, lambda: "stranger")
    verdict = strangers.signed(tree.root, None, judge([tree.root]), lambda: "stranger")
    told = list(strangers.outputs(verdict, tree.root, sets))
    assert [text.partition("<h1>")[2].partition("</h1>")[0] for _, text in told if "stranger" not in text] == [
        "Rounds", "Rules", "Rules",
    ]  # fmt: skip
    (compared,) = (text for name, text in told if name == "text" and "\nA and B are not compared" in text)
    assert "\n    added stranger.py: +3 -0\n" in compared
    assert any("[waived by stranger: " in text or "[waived by stranger]" in text for _, text in told)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["txt", "csv", "json", "md", "html"])
def test_names_that_the_locale_cannot_write(ending, tree, new_log):
    """A system without UTF-8 has bytes in place of letters."""
    tree.set(new_log.five(), org="\u00d6rg", system="b\udcffx")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    out = tree.root.parent / f"out.{ending}"
    command = [sys.executable, "results/summarize.py", os.fsencode(tree.root), "--as-logged", "--output", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == f"wrote {out}\n"
    assert "rg" in out.read_text(encoding="utf-8")
    shown = subprocess.run(command[:-2], cwd=ROOT, env=plain, capture_output=True, text=True, encoding="ascii")
    assert shown.returncode == 0 and "rg" in shown.stdout


@pytest.mark.parametrize("first", [[1], {"a": 1}, "1", None, 1.5e400, 1 << 80])
def test_a_first_time_that_is_none_stops_nothing(first, tree, new_log):
    """It chooses the year, and so the edition, where no folder names one."""
    logs = new_log.five()
    folder = tree.set(logs, benchmark="cosmoflow", edition="hpc_round")
    tree.set(logs, org="beta", benchmark="cosmoflow", edition="hpc_round")
    for path in folder.glob("*.txt"):
        head, _, rest = path.read_text().partition("\n")
        path.write_text(f"{head.replace('1700000000000', str(first) if first != '1' else repr('1'))}\n{rest}")
    verdict = judge([tree.root])
    assert len(verdict.submissions) == 2 and verdict.exit_code == 1


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_something_called_systems_in_systems(kind, tree, new_log):
    tree.set(new_log.five())
    place = tree.root / "v1.0" / "acme" / "systems" / "systems"
    {"file": place.touch, "folder": place.mkdir, "link": lambda: place.symlink_to("systems")}[kind]()
    verdict = judge([tree.root])
    (found,) = strangers.results_of(verdict, True)
    assert found.fom is not None and found.standing.errors


TABLE = "| a | b |\n| --- | --- |\n"
ENTRY = '- {rule: a, submission: a, verdict: open, who: "", when: "", note: ""}\n'
SCRIPT = f"<script>{readers.SCRIPTS[1]}</script>"
DATA = "<script type='application/json'>%s</script>"


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("text", "a\n", "\x1b[2J"),
        ("text", "a\n", "\ud800"),
        ("json", '{"a": "b"}', '{"a": "\\u001b"}'),
        ("json", '{"a": "b"}', '{"a": "é"}'),
        ("csv", "a,b\n1,-2\n", "a,b\n1,=2\n"),
        ("csv", "a,b\n1,x;y\n", "a,b\n1,x;@y\n"),
        ("csv", "a,b\n1,2\n", "a,b\n1,2,3\n"),
        ("github", "::error file=a,line=1,title=A::b\n", "::set-env name=a::b\n"),
        ("github", "::notice::1 more notice not shown here: a\n", "::notice::1 more notice not shown here: a %0A\n"),
        ("yaml", f"# a\n{ENTRY}", f"- a: b\n{ENTRY}"),
        ("yaml", ENTRY, ENTRY.replace("verdict: open", "verdict: accept")),
        ("markdown", "a\n", "# a\n[b](c)\n"),
        ("markdown", "a\n", "https://evil.example\n"),
        ("markdown", "a\n", "www\\.a www.evil.example\n"),
        ("markdown", "&lt;b>\n", "<b>\n"),
        ("markdown", f"{TABLE}| a\\|b | c |\n", f"{TABLE}| a|b | c |\n"),
        ("html", SCRIPT + "&lt;b", SCRIPT + "<img src=x>"),
        ("html", SCRIPT + "<b>a</b>", SCRIPT + "<b>a"),
        ("html", SCRIPT + '<a href="#a">a</a>', SCRIPT + '<a href="javascript:a">a</a>'),
        ("html", SCRIPT, SCRIPT.replace("<script>", "<script src='a'>")),
        ("html", DATA % '["a"]', DATA % '["\\u202e"]'),
    ],
)
def test_the_readers_notice(form, good, bad):
    readers.check_output(form, good)
    with pytest.raises((AssertionError, ValueError)):
        readers.check_output(form, bad)
