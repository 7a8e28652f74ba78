"""CONTRIBUTING shows how a rule about one log is added; here it is added to a copy."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from rules.current import ROOT

REPOSITORY = ROOT.parent
PARTS = ("benchmark", "compliance", "rules", "tests/compliance", "tests/support", "implementations/pytorch")
TEXT, CHECK, DAMAGE = "rules/texts/SRC.md", "compliance/families/source.py", "tests/compliance/families/test_source.py"
LIMITS = "rules/v1.0/limits.yaml"


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
    part = text.partition("A rule about one log, as a whole.")[2].partition("\n## Add a problem")[0]
    return re.findall(r"In `([^`]+)`:\n\n```\w+\n(.*?)```", part, re.DOTALL)


def called(copy, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_rule_about_one_log_is_a_text_a_function_a_damage_and_a_code(copy):
    assert [path for path, _ in shown()] == [TEXT, CHECK, DAMAGE]
    for path, block in shown():
        with (copy / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{block}")
    assert called(copy, "compliance/check.py", "--explain", "SRC10")[0] == 2  # no edition has it
    limits = (copy / LIMITS).read_text(encoding="utf-8")
    (copy / LIMITS).write_text(limits.replace("SRC09, SRC90]", "SRC09, SRC10, SRC90]"), encoding="utf-8")
    code, said = called(copy, "compliance/check.py", "--explain", "SRC10")
    assert code == 0 and said.startswith("SRC10 The log names the versions of what it ran on")
    tests = ("-m", "pytest", "-n", "0", "-p", "no:cacheprovider", DAMAGE, "-k", "versions_of_nothing")
    code, said = called(copy, *tests, WRITE_FINDINGS="1")
    assert code == 0, said
    code, said = called(copy, *tests)
    assert code == 0, said
    (copy / CHECK).write_text((copy / CHECK).read_text(encoding="utf-8").replace("not event.value", "event.value"))
    assert called(copy, *tests)[0] == 1
