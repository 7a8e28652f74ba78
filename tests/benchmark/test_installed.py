import subprocess
import sys

import pytest

from benchmark import installed
from tests.support import ROOT

SCRIPTS = """compliance/check.py results/summarize.py benchmark/generate.py harness/submit.py
implementations/pytorch/train.py"""


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS.split())
def test_a_script_without_packages_says_what_to_type(script, tmp_path):
    """Python without its packages, started elsewhere."""
    command = [sys.executable, "-I", "-S", str(ROOT / script), "some words", "--x"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    name = script.rpartition("/")[2]
    assert done.stderr.startswith(f"{name}: found no module ")
    assert done.stderr.endswith(f"bin/python -I -S {ROOT / script} 'some words' --x\n")


def test_without_an_environment_it_is_made_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = installed.advice("yaml", tmp_path / ".venv", ["check.py", "a b"])
    wanted = "found no module 'yaml', wanted the project's environment: "
    assert told == f"{wanted}make -C . setup && .venv/bin/python check.py 'a b'"
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    assert installed.advice("yaml", tmp_path / ".venv", ["check.py"]) == f"{wanted}.venv/bin/python check.py"


@pytest.mark.parametrize(
    "error",
    [ValueError("yaml"), ModuleNotFoundError("no module", name="compliance.nothing"), ImportError("x", name="yaml")],
)
def test_other_errors_are_as_ever(error, capsys, monkeypatch):
    told = []
    monkeypatch.setattr(sys, "__excepthook__", lambda *what: told.append(what))
    installed.tell(type(error), error, None)
    assert told == [(type(error), error, None)] and capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("implementations/a.b/train.py", True),
        ("implementations/a/train.py", False),
        ("implementations/train.py", False),
        ("benchmark/generate.py", False),
        ("../elsewhere/implementations/a.b/train.py", False),
    ],
)
def test_a_dot_in_the_name_of_an_implementation_is_told(tmp_path, monkeypatch, script, told):
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / script), raising=False)
    words = "found 'implementations.a.b', wanted a folder without a dot in its name"
    assert installed.dotted(tmp_path) == (words if told else "")
