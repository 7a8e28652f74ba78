"""Pages of commands: every script with what it prints for --help."""

import argparse
import subprocess
import sys

import pytest

from perf.pages.scripts import ROOT, help_of, page, parser_of, scripts

FOLDERS = ("benchmark", "implementations", "harness", "rules", "compliance", "results", "perf")


def test_scripts_are_found_and_those_that_only_others_start_are_not():
    found = {name for folder in FOLDERS for name in scripts(folder)}
    assert {"benchmark/generate.py", "compliance/check.py", "rules/new.py", "results/summarize.py"} <= found
    assert "harness/warm.py" not in found and not [name for name in found if "v1.0" in name]


def test_help_is_what_the_script_prints():
    asked = [sys.executable, "compliance/check.py", "--help"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, env={"COLUMNS": "100"}, check=True)
    printed = done.stdout.replace("usage: check.py", "usage: python compliance/check.py")
    assert " ".join(help_of("compliance/check.py").split()) == " ".join(printed.split())


def test_a_page_has_each_script_and_nothing_of_this_machine():
    text = page("rules")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [f"## {s}" for s in scripts("rules")]
    assert "--from" in text and str(ROOT) not in text


def test_what_is_no_script_is_named():
    with pytest.raises(ValueError, match=r"found no compliance/chek\.py"):
        parser_of("compliance/chek.py")
    with pytest.raises(AttributeError):
        parser_of("compliance/finding.py")
    assert argparse.ArgumentParser().parse_args([]) == argparse.Namespace()  # parsers are as they were
