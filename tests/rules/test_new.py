"""An edition for the next round: one command, and everything follows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rules import new
from rules.current import ROOT, current
from rules.edition import load, loaded

REPOSITORY = ROOT.parent
PARTS = ("benchmark", "harness", "rules", "implementations", "requirements")


@pytest.fixture
def root(tmp_path):
    """A copy of the rules."""
    return Path(shutil.copytree(ROOT, tmp_path / "rules", ignore=shutil.ignore_patterns("__pycache__")))


def test_it_says_what_the_old_one_says_and_is_the_current_one(root):
    old = load(current(root), root)
    path = new.make("v9.1", old.name, root)
    made = load("v9.1", root)
    assert current(root) == "v9.1" and path == root / "v9.1" / "limits.yaml"
    for part in ("benchmarks", "problems", "keys", "codes"):
        assert getattr(made, part) == getattr(old, part)
    assert made.limits.title == old.limits.title.replace(old.name, "v9.1") != old.limits.title


def test_the_one_after_has_the_same_changes(root):
    path = new.make("v9.1", "v1.0", root)
    path.write_text(path.read_text() + "registry: required\n")
    new.make("v9.2", "v9.1", root)
    made = load("v9.2", root)
    assert (made.limits.based_on, made.limits.registry, made.limits.title) == ("v1.0", "required", "ScaFFold v9.2")
    path.write_text(path.read_text().replace("title: ScaFFold v9.1", "title: Spring"))
    loaded.cache_clear()
    new.make("v9.3", "v9.1", root)
    assert load("v9.3", root).limits.title == "Spring v9.3"


def test_the_draft_requires_what_organisers_can_check(root):
    limits = load("v1.1", root).limits
    assert limits.draft and (limits.witness, limits.ledger) == ("required", "required")
    assert (limits.weights.use, limits.environment.use) == ("required", "required")
    assert limits.weights.largest == load("v1.0", root).limits.weights.largest
    new.make("v9.1", "v1.1", root)
    made = load("v9.1", root).limits
    assert (made.witness, made.draft, made.title) == ("required", False, "ScaFFold v9.1")
    shutil.rmtree(root / "v9.1")
    path = root / "v1.1" / "limits.yaml"
    assert current(root) == "v1.0"
    whole = path.read_text()
    path.write_text(whole.replace("draft: true", "draft: yes"))
    with pytest.raises(ValueError, match="draft: found another spelling, wanted the line `draft: true`"):
        loaded.__wrapped__("v1.1", root)  # read again
    path.write_text(whole.replace("draft: true\n", ""))
    assert current(root) == "v1.1"


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("v1.1", "v1.0", "found the name v1.1, wanted one after v1.1"),
        ("next", "v1.0", "found the edition 'next', wanted v<number>.<number>"),
        ("../v9.1", "v1.0", "wanted v<number>.<number>"),
        ("v9.1", "v8.0", "no edition 'v8.0' of the rules"),
        ("v9.1", "mlperf-hpc-v3.0", "found mlperf-hpc-v3.0, wanted an edition of this project's rounds, such as v1.1"),
        ("v9.01", "v1.0", "found the name v9.01, wanted v9.1"),
        ("v9.\N{ARABIC-INDIC DIGIT TWO}", "v1.0", "wanted v9.2"),
    ],
)
def test_refusals(root, name, source, why):
    before = sorted(root.iterdir())
    with pytest.raises(ValueError, match=re.escape(why)):
        new.make(name, source, root)
    assert sorted(root.iterdir()) == before


@pytest.mark.slow
def test_the_reference_the_makefile_and_the_scripts_follow(tmp_path):
    """In a copy of the repository, nothing of it edited by hand."""
    for part in PARTS:
        shutil.copytree(REPOSITORY / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "Makefile", tmp_path)

    def said(*command):
        around = {**os.environ, "ORG": "x", "SYSTEM": "y", "PYTHON": "echo"}
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=around)
        return done.stdout + done.stderr

    assert "submissions go to results/v9.1/<org>" in said(sys.executable, "rules/new.py", "v9.1", "--from", "v1.0")
    assert "wanted one after v9.1" in said(sys.executable, "rules/new.py", "v9.1", "--from", "v1.0")
    logged = "from rules.current import EDITION; print(EDITION)"
    assert said(sys.executable, "-c", logged) == "v9.1\n"
    assert "default: results/v9.1" in said(sys.executable, "harness/submit.py", "--help")
    assert "--out build/results/v9.1" in said("make", "-n", "run")
    job = "harness/launch/render.py slurm --problem smoke --nodes 1 --ranks-per-node 1 --org x --system y"
    assert " --status onprem --out results/v9.1 " in said(sys.executable, *job.split())
