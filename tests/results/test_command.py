"""What both commands share: where to write and in which format, and never into what was checked."""

import argparse
from pathlib import Path

import pytest

from compliance.engine import judge
from results.command import add_options, keep_outside, targets, write

FORMATS = ("text", "csv", "json", "html")


def options(*arguments):
    parser = argparse.ArgumentParser()
    add_options(parser, FORMATS)
    return parser.parse_args(arguments)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], [(None, "text")]),
        (["--format", "csv"], [(None, "csv")]),
        (["--output", "a.json"], [(Path("a.json"), "json")]),
        (["--output", "A.HTML", "--output", "b.txt"], [(Path("A.HTML"), "html"), (Path("b.txt"), "text")]),
        (["--output", "a.dat", "--format", "csv"], [(Path("a.dat"), "csv")]),
    ],
)
def test_the_format_is_the_one_asked_for_or_the_endings(arguments, wanted):
    assert targets(options(*arguments), FORMATS) == wanted


def test_commands_say_how_submissions_are_judged():
    given = options("--rules", "v1.0", "--waivers", "w.yaml", "--as-logged")
    assert (given.rules, given.waivers, given.as_logged) == ("v1.0", Path("w.yaml"), True)
    assert not hasattr(given, "reviews")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output", "a.dat"], "found the ending '.dat', wanted one of .txt, .csv, .json, .html, or --format"),
        (["--output", "a.csv", "--output", "b.csv", "--format", "csv"], "found --format with 2 --output"),
        (["--output", "folder.csv"], r"folder\.csv: found a folder, wanted a file to write to"),
    ],
)
def test_what_is_not_clear_is_refused(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder.csv").mkdir()
    with pytest.raises(ValueError, match=said):
        targets(options(*arguments), FORMATS)


@pytest.mark.parametrize("inside", ["results/box/strong/scaffold/a.csv", "systems/../a.csv"])
def test_nothing_is_written_into_a_submission(tree, new_log, inside):
    tree.set([new_log.scaffold()])
    verdict = judge([tree.root])
    home = Path(verdict.submissions[0].path)
    with pytest.raises(ValueError, match="wanted a place outside"):
        keep_outside([(home / inside, "csv")], verdict)
    keep_outside([(None, "text"), (home.with_name("acme.csv"), "csv")], verdict)


def test_each_target_is_written_in_its_form_for_its_folder(tmp_path, capsys):
    forms = {"text": lambda folder: f"text for {folder}\n", "csv": lambda folder: "a\udcff\n"}
    write([(None, "text"), (tmp_path / "a.csv", "csv")], forms)
    said = capsys.readouterr()
    assert said.out == f"text for {Path.cwd()}\n" and said.err == f"wrote {tmp_path / 'a.csv'}\n"
    assert (tmp_path / "a.csv").read_text() == "a\\udcff\n"
