import hashlib
import shutil
import subprocess
import sys

import pytest
import yaml

from rules import new, release
from rules.current import ROOT, current
from rules.edition import load
from rules.release import digests

SCRIPT = ROOT / "release.py"
NO_TORCH = """
import runpy, sys
sys.modules["torch"] = None
sys.argv = sys.argv[1:]
sys.path[0] = "rules"  # as Python itself sets it
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_release_is_all_that_a_run_of_the_reference_may_load(tmp_path):
    others = ("rules/c.md", "results/d.py", "implementations/other/f.py")
    wanted = ("benchmark/a.py", "benchmark/deep/b.py", "rules/c.py", "implementations/pytorch/configs/e.yaml")
    wanted = (*wanted, "implementations/__init__.py")
    for name in (*wanted, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert digests(tmp_path) == {name: hashlib.sha256(name.encode()).hexdigest() for name in wanted}


def test_what_it_prints_is_what_the_file_holds(tmp_path, monkeypatch, capsys):
    command = [sys.executable, "-c", NO_TORCH, str(SCRIPT), "v9.9.9"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    printed = yaml.safe_load(done.stdout)
    assert printed == {"v9.9.9": digests()}
    root = tmp_path / "rules"
    shutil.copytree(ROOT, root)
    with (root / "v1.0" / "releases.yaml").open("a") as file:
        file.write(done.stdout)
    new.make("v9.1", "v1.0", root)
    assert load("v9.1", root).releases == load("v1.0", root).releases  # which it is based on
    assert load("v1.0", root).releases["v9.9.9"]["benchmark/log.py"] == digests()["benchmark/log.py"]
    monkeypatch.setitem(load(current()).releases, "v9.9.9", {})
    assert release.main(["v9.9.9"]) == 2  # a release has one name
    assert "found 'v9.9.9' among the releases" in capsys.readouterr().err


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, str(SCRIPT), "v9.9.9"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "release.py: stdout: cannot be written: No space left on device\n")


@pytest.mark.parametrize("text", ["- v1.0.1\n", "v1.0.1: benchmark/log.py\n"])
def test_another_form_is_refused(tmp_path, text):
    shutil.copytree(ROOT, tmp_path / "rules")
    (tmp_path / "rules" / "v1.0" / "releases.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"v1\.0/releases\.yaml: found another form"):
        load("v1.0", tmp_path / "rules")
