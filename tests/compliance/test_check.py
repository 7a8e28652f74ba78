"""The command: exit codes, what is printed, selection."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import compliance
from compliance import check
from compliance.rule import CHECKS, LEVELS
from rules.edition import load

HERE = Path(compliance.__file__).parent
ROOT = HERE.parent


def test_clean_is_0(run, tree):
    code, out, _ = run(tree.root)
    assert code == 0
    assert "5 logs by the rules v1.0: nothing found" in out
    assert "for a reviewer: EVL90" in out


def test_errors_are_1_with_place_found_and_wanted(run, broken):
    code, out, _ = run(broken.root)
    assert code == 1
    line = out.splitlines()[0]
    assert line.startswith(f"{broken.path(1)}:8: SEED03 ")
    assert "found seed 5, a small number, wanted" in line


def test_one_log_one_set_and_a_round(run, broken):
    assert run(broken.path(1))[0] == 1
    assert run(broken.path(0))[0] == 0
    assert run(broken.path(0).parent)[0] == 1
    assert run(broken.root.parent)[0] == 1
    assert run(broken.path(0), broken.path(2))[0] == 0


def test_rules_are_counted_that_what_was_given_can_break(run, tree, law):
    levels = {"log": {"log", "round"}, "set": {"log", "set", "round"}, "all": set(LEVELS)}
    codes = load("v1.0", law).codes
    wanted = {name: sum(CHECKS[c].level in chosen for c in codes if c in CHECKS) for name, chosen in levels.items()}
    for name, path in (("all", tree.root), ("set", tree.path(1).parent), ("log", tree.path(1))):
        assert f"{wanted[name]} of {wanted[name]} rules passed" in run(path)[1]


def test_log_given_twice_is_one_log(run, tree, monkeypatch):
    monkeypatch.chdir(tree.root.parent)
    assert run(tree.root, "acme", "./acme", tree.path(0))[0] == 0


@pytest.mark.parametrize("arguments", [[], ["nowhere"], ["--rules", "v9", "."], ["--select", "XYZ", "."]])
def test_could_not_look_is_2(run, arguments):
    assert run(*arguments)[0] == 2


def test_nothing_to_look_at_is_2(run, tmp_path):
    (tmp_path / "empty").mkdir()
    code, out, _ = run(tmp_path / "empty")
    assert code == 2
    assert "could not look" in out


@pytest.mark.parametrize("form", check.FORMATS)
def test_every_format_survives_hostile_names(run, broken, form):
    folder = broken.path(0).parent
    (folder / "a\nb\x1b[31m<x>|`::error::").write_text("?")
    code, out, _ = run(broken.root, "--format", form)
    assert code == 1
    assert "\x1b" not in out
    assert all(line.isprintable() for line in out.splitlines())
    if form == "junit":
        ET.fromstring(out)
    if form == "github":
        assert all(line.startswith("::") for line in out.splitlines())


def test_select_and_ignore(run, broken):
    assert run(broken.root, "--select", "RUN,LOG")[0] == 0
    assert run(broken.root, "--ignore", "SEED03")[0] == 0
    assert run(broken.root, "--select", "SEED", "--ignore", "SEED05")[0] == 1


def command(*arguments, cwd=ROOT):
    return subprocess.run(
        [sys.executable, HERE / "check.py", *map(str, arguments)], cwd=cwd, capture_output=True, text=True
    )


def test_jobs_give_the_same_report(tree):
    one, two = command(tree.root), command(tree.root, "--jobs", 2)
    assert one.stdout == two.stdout
    assert one.returncode == two.returncode


def test_runs_from_anywhere_and_without_torch_and_changes_nothing(tree, tmp_path):
    before = {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")}
    code = (
        "import sys, runpy\n"
        "for name in ('torch', 'h5py', 'mlperf_logging', 'pandas', 'tqdm', 'scipy'): sys.modules[name] = None\n"
        f"sys.argv = ['check.py', {str(tree.root)!r}]\n"
        f"runpy.run_path({str(HERE / 'check.py')!r}, run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "LOG12" in done.stdout, done.stderr  # the repository's own rules don't publish the tiny problem
    assert done.returncode == 1
    assert {p: p.stat().st_mtime_ns for p in tree.root.rglob("*")} == before


def test_reader_that_stops_reading_is_no_error(tree):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, HERE / "check.py", tree.root], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert "Traceback" not in done.stderr


def test_no_module_is_named_like_one_of_the_standard_library():
    """Run as a file, `compliance/` comes first on the path until the first lines have replaced it."""
    assert not {path.stem for path in HERE.glob("*.py")} & sys.stdlib_module_names
