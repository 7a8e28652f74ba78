"""CONTRIBUTING shows how a rule about one log is added, and one across sets; here they are added to a copy."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from rules.current import ROOT, editions
from rules.edition import load

REPOSITORY = ROOT.parent
PARTS = ("benchmark", "compliance", "rules", "tests/compliance", "tests/support", "implementations/pytorch")
SOURCE = ("rules/texts/SRC.md", "compliance/families/source.py", "tests/compliance/families/test_source.py")
SYSTEM = ("rules/texts/SYS.md", "compliance/families/system.py", "tests/compliance/families/test_system.py")
LIMITS = "rules/v1.0/limits.yaml"
ADDED = ("SRC79", "SYS79")


@pytest.fixture
def copy(tmp_path):
    """A copy of the checker with its tests."""
    for part in PARTS:
        shutil.copytree(REPOSITORY / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def shown():
    """The blocks of CONTRIBUTING that add a rule, in order."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.partition("\n## Add a rule\n")[2].partition("\n## Add a measure\n")[0]
    return re.findall(r"In\s`([^`]+)`:\n\n```\w+\n(.*?)```", part, re.DOTALL)


def called(copy, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout + done.stderr


def test_the_examples_are_of_two_rules_whose_codes_are_free():
    headings = re.findall(r"^## (\w+)", "".join(block for _, block in shown()), re.MULTILINE)
    taken = {code for name in editions() for code in load(name).rules}
    assert headings == [*ADDED] and taken.isdisjoint(ADDED)


@pytest.mark.slow
def test_a_rule_is_a_text_a_function_a_damage_and_a_code(copy):
    assert [path for path, _ in shown()] == [*SOURCE, *SYSTEM]
    for path, block in shown():
        with (copy / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{block}")
    assert called(copy, "compliance/check.py", "--explain", "SRC79")[0] == 2  # no edition has it
    limits = (copy / LIMITS).read_text(encoding="utf-8")
    for code in ADDED:
        limits = limits.replace(f" {code[:3]}90]", f" {code}, {code[:3]}90]")
    (copy / LIMITS).write_text(limits, encoding="utf-8")
    code, said = called(copy, "compliance/check.py", "--explain", "SRC79")
    assert code == 0 and said.startswith("SRC79 The log names the versions of what it ran on")
    wanted = "versions_of_nothing or study_with_another_python"
    tests = ("-m", "pytest", "-n", "0", "-p", "no:cacheprovider", SOURCE[2], SYSTEM[2], "-k", wanted)
    code, said = called(copy, *tests, WRITE_FINDINGS="1")
    assert code == 0, said
    code, said = called(copy, *tests)
    assert code == 0 and "2 passed" in said, said
    check = (copy / SOURCE[1]).read_text(encoding="utf-8")
    (copy / SOURCE[1]).write_text(check.replace("not event.value", "event.value"), encoding="utf-8")
    assert called(copy, *tests)[0] == 1
