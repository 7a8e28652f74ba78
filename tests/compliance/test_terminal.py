"""What commands print: a reader who goes is fine, a full or closed stdout is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import compliance
from compliance.terminal import progress, put, tell

ROOT = Path(compliance.__file__).parents[1]
COMMANDS = [
    ["compliance/check.py", "--list"],
    ["compliance/check.py", "PATH"],
    ["compliance/audit.py", "PATH"],
    ["compliance/register.py", "PATH"],
    ["results/summarize.py", "PATH"],
]
BIG = "from compliance.terminal import put\nput('x' * 1_000_000)\n"


def started(command, **options):
    return subprocess.run([sys.executable, *command], cwd=ROOT, text=True, stderr=subprocess.PIPE, **options)


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
@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c))
def test_a_full_stdout_is_2_and_one_line(tree, command):
    with open("/dev/full", "w") as full:
        done = started([str(tree.root) if part == "PATH" else part for part in command], stdout=full)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith(
        "stdout: cannot be written: No space left on device"
    )
    assert "Traceback" not in done.stderr


def test_a_closed_stdout_is_2_and_one_line(tree):
    done = started(["compliance/check.py", str(tree.root)], preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (
        2,
        "check.py: stdout: found it closed, wanted a place to write to\n",
    )


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
