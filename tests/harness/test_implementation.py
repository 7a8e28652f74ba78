"""What an implementation says of itself, and how its train.py is started."""

import json
import sys

import pytest

from harness.implementation import Implementation, find_implementation, parse, takes
from harness.launcher import Launcher
from tests.support.described import FIELDS, described


def test_what_is_described_is_typed():
    found = described()
    assert (found.layout, found.accelerators.memory_gib, found.settings) == ((2, 1, 1, 1), 80.0, {"epochs": 3})
    assert takes(found, "--steps") and not takes(found, "--head") and not takes(None, "--steps")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"contract": 2}, "contract: found 2, wanted 1"),
        ({"ranks": 0}, "found 0 ranks on 1 nodes"),
        ({"layout": [2, 1, 1]}, r"layout: found \[2, 1, 1\], wanted 4 numbers of 1 or more"),
        ({"layout": [2, 1, 1, 0]}, r"layout: found \[2, 1, 1, 0\]"),
        ({"settings": []}, "settings: found a list, wanted an object"),
        ({"source": "x"}, "source: found 'x', wanted a sha256"),
        ({"more": 1}, "unknown field 'more'"),
        ({"accelerators": {"cont": 1}}, "did you mean 'count'"),
    ],
)
def test_what_is_not_the_contracts_is_refused(change, said):
    with pytest.raises(ValueError, match=f"^described.*{said}"):
        described(**change)
    with pytest.raises(ValueError, match="found no JSON"):
        parse("{", "here")


def program(folder, text):
    """An implementation whose train.py has this text."""
    (folder / "train.py").write_text(text)
    return Implementation(folder)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("#!/bin/sh", ["/bin/sh"]),
        ("#!/usr/bin/env bash", ["/usr/bin/env", "bash"]),
        ("#!/usr/bin/env python3", [sys.executable]),
        ("", [sys.executable]),
    ],
)
def test_the_first_line_names_the_interpreter(tmp_path, first, words):
    found = program(tmp_path, f"{first}\n")
    assert found.program(["--head"]) == [*words, str(tmp_path / "train.py"), "--head"]


@pytest.mark.parametrize("text", ["echo 'unknown option --describe' >&2; exit 2", "echo done"])
def test_an_implementation_that_does_not_describe_itself(tmp_path, text):
    assert program(tmp_path, f"#!/bin/sh\n{text}").describe([], Launcher()) is None


@pytest.mark.parametrize(
    ("text", "said", "shown"),
    [
        ("echo 'Warning' >&2; echo 'train.py: epoch: unknown' >&2; exit 2", "^epoch: unknown", ""),
        ("echo 'usage: [--describe]' >&2; echo 'train.py: error: no x' >&2; exit 2", "^train.py: error: no x", ""),
        ("echo 'srun: no file' >&2; echo >&2; echo 'srun: end' >&2; exit 1", "^srun: end", "srun: no file\n"),
        ("kill -9 $$", "train.py --describe ended with exit code -9", ""),
        ("echo '{}'", "field 'contract' is missing", ""),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_its_own_words(tmp_path, capsys, text, said, shown):
    """All that a launcher says of its failure is shown."""
    with pytest.raises(ValueError, match=f"{said}$"):
        program(tmp_path, f"#!/bin/sh\n{text}").describe([], Launcher())
    assert capsys.readouterr().err == shown


def test_warnings_are_passed_on_and_other_lines_are_not_read(tmp_path, capsys):
    text = f"#!/bin/sh\necho module loaded\necho 'train.py: slow' >&2\necho noise >&2\necho '{json.dumps(FIELDS)}'"
    assert program(tmp_path, text).describe([], Launcher()).problem == "tiny"
    assert capsys.readouterr().err == "train.py: slow\n"


def test_an_implementation_by_name_or_folder(tmp_path):
    assert find_implementation("pytorch").script.is_file()
    (tmp_path / "train.py").touch()
    assert find_implementation(str(tmp_path)).folder == tmp_path
    with pytest.raises(ValueError, match=r"--implementation: found no .*acme/train\.py, wanted one of .*pytorch"):
        find_implementation("acme")
