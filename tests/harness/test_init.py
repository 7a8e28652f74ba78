"""Copies of the folder: what is in them, which names they can't have."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from benchmark.collect import files_in
from harness import init
from harness.system import fields_of
from tests.support import ROOT
from tests.support.described import described

OLD = {f"{name}.py" for name in ("submit", "tune", "init", "replay", "reevaluate", "export", "launch/render")}
FOLDERS = ("benchmark", "rules", "compliance", "results", "docs", "tests")


@pytest.fixture
def repository(tmp_path):
    """A repository of the reference and folders without content, where something was run and built."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    for name in ("atomic.py", "writing.py", "run/errors.py"):  # what a copy needs
        (tmp_path / "benchmark" / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "benchmark" / name, tmp_path / "benchmark" / name)
    shutil.copytree(ROOT / "harness", tmp_path / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "implementations" / "pytorch"
    shutil.copytree(ROOT / "implementations" / "pytorch", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("__pycache__/train.pyc", "build/x", "parallel/halo.so", ".cache/y", "x.partial", "layers/a.pyc"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"\0")
    os.symlink("/etc/passwd", folder / "link.py")
    return tmp_path


def run(repository, *words):
    """A copy by a Python without packages, started elsewhere."""
    script = repository / "harness" / "init.py"
    command = [sys.executable, "-I", "-S", str(script), *words]
    return subprocess.run(command, cwd=repository / "docs", capture_output=True, text=True)


def test_a_copy_is_the_code_and_nothing_that_was_built(repository):
    done = run(repository, "zenith")
    assert (done.returncode, done.stderr) == (0, "")
    assert "next: python harness/submit.py --implementation zenith --problem smoke --org ORG" in done.stdout
    ours = files_in(ROOT / "implementations/pytorch")
    copied = files_in(repository / "implementations/zenith")
    assert set(copied) - set(ours) == {"systems/template.json"}
    assert set(ours) - set(copied) == OLD and "train.py" in copied
    assert {path for path in copied if copied[path] != ours.get(path)} == {"README.md", "systems/template.json"}
    text = (repository / "implementations/zenith/README.md").read_text()
    assert text.startswith("# zenith\n") and "implementations/pytorch" in text
    assert not {"NAME", "ORIGINAL"} & set(text.split("`"))
    assert sorted(p.name for p in (repository / "implementations").iterdir()) == ["pytorch", "zenith"]


def test_a_copy_of_a_copy_leaves_its_systems(repository):
    assert run(repository, "zenith").returncode == 0
    folder = repository / "implementations"
    (folder / "zenith/systems/box.json").write_text("{}")
    (folder / "zenith/systems/template.json").write_text('{"cooling": "air"}')
    assert run(repository, "bolt", "--from", "zenith").returncode == 0
    assert [p.name for p in (folder / "bolt/systems").iterdir()] == ["template.json"]
    assert not any(json.loads((folder / "bolt/systems/template.json").read_text()).values())
    assert "`implementations/zenith`" in (folder / "bolt/README.md").read_text()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("acme.v2", "letters, digits, _ and -, a letter first"),
        ("x" * 65, "letters, digits"),
        ("pytorch", "another name: .*implementations/pytorch is there, and nothing is overwritten"),
        ("PyTorch", "is there"),
        ("benchmark", "the project uses it"),
        ("reference", "the project uses it"),
        ("class", "Python or a package uses it"),
        ("torch", "Python or a package uses it"),
    ],
)
def test_names_that_are_refused(repository, monkeypatch, capsys, name, wanted):
    before = sorted((repository / "implementations").iterdir())
    monkeypatch.setattr(init, "ROOT", repository)
    assert init.main([name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"init.py: found the name {name!r}"[:60])
    assert re.search(wanted, line)
    assert sorted((repository / "implementations").iterdir()) == before


def test_names_that_are_fine(repository):
    for name in ("Acme-v2", "a_b", "x" * 64):
        assert init.refused(name, repository / "implementations" / "pytorch") == ""


def test_a_place_without_an_implementation_or_read_only_is_one_line(repository, monkeypatch, capsys, read_only):
    monkeypatch.setattr(init, "ROOT", repository)
    assert init.main(["zenith", "--from", "harness"]) == 2
    assert "--from: found no" in capsys.readouterr().err
    elsewhere = repository / "elsewhere"
    (repository / "implementations" / "pytorch").rename(elsewhere)
    assert init.main(["zenith", "--from", str(elsewhere)]) == 2
    assert "wanted the name of a folder of implementations/" in capsys.readouterr().err
    assert not (repository / "zenith").exists()
    elsewhere.rename(repository / "implementations" / "pytorch")
    with read_only(repository / "implementations"):
        assert init.main(["zenith"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_old_commands_say_what_to_type():
    for name in OLD:
        script = ROOT / "implementations" / "pytorch" / name
        done = subprocess.run([sys.executable, str(script), "--problem", "smoke"], capture_output=True, text=True)
        (line,) = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, "")
        assert line.startswith(f"{script.name}: this command is now: python ")
        assert (ROOT / line.rpartition(" ")[2]).is_file()


def test_the_template_asks_for_fields_of_a_description(fake):
    told = json.loads((ROOT / "harness" / "templates" / "systems" / "template.json").read_text())
    fields = fields_of(fake.setup(), described())
    assert set(told) <= set(fields) and not any(told.values())
    assert {name for name, value in fields.items() if value == ""} <= set(told)
