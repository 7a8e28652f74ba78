"""Which submissions a change touches; the hook and the workflow that judge them, step by step."""

import functools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from compliance import changed
from results import freeze
from tests.support import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "submission.yml").read_text())


def git(folder, *arguments):
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def clone(tree, tmp_path, monkeypatch):
    """A repository in which a good submission is handed in by the last commit."""
    home = tmp_path / "change"
    git(tmp_path, "init", "-q", "change")
    (home / "README.md").write_text("A benchmark.\n")
    git(home, "add", "-A")
    git(home, "commit", "-qm", "base")
    shutil.copytree(tree.root.parent, home / "results" / "v1.0")
    git(home, "add", "-A")
    git(home, "commit", "-qm", "submission")
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def run(call):
    return functools.partial(call, changed.main)


def test_what_files_belong_to():
    """The outermost folder that is named as an edition is the round: no folder inside of a submission is."""
    files = [
        "results/v1.0/a/systems/x.json",
        "results/v1.0/a/v1.0/b/c",
        "results/v1.0/b c/d/e",
        "results/v1.0/frozen.txt",
    ]
    files += ["results/tuning/v1.0/a/y", "results/tuning/v1.0/z"]
    others = ["results/summarize.py", "results/html/page.py", "results/v7.0/a/b", "docs/v1.0/a/b", "results/v1.0"]
    wanted = ["results/tuning/v1.0", "results/tuning/v1.0/a", "results/v1.0", "results/v1.0/a", "results/v1.0/b c"]
    assert changed.touched([*files, *others, "results"], ["v1.0"]) == wanted


def test_between_commits_and_staged(clone, run):
    assert run("HEAD^1") == (0, "results/v1.0/acme\n", "")
    assert run("HEAD^1", "HEAD", "--null") == (0, "results/v1.0/acme\0", "")
    assert run("HEAD") == run("--staged") == (0, "", "")
    (clone / "results" / "v1.0" / "b\n" / "x").mkdir(parents=True)
    (clone / "results" / "v1.0" / "b\n" / "x" / "y").touch()
    git(clone, "add", "-A")
    assert run("--staged") == (0, "results/v1.0/b\\n\n", "")

    git(clone, "rm", "-rfq", "results/v1.0")
    assert run("--staged") == (1, "", "results/v1.0/acme: the submission was removed\n")


def test_what_git_cannot_do_is_said(clone, run):
    code, out, err = run("nowhere")
    assert (code, out) == (2, "") and err.startswith("changed.py: git: ") and "nowhere" in err
    with pytest.raises(SystemExit):
        changed.main([])
    with pytest.raises(SystemExit):
        changed.main(["HEAD", "--staged"])


@pytest.mark.parametrize("arguments", [("--output={}", "HEAD"), ("HEAD", "--output={}"), ("-O{}", "HEAD")])
def test_no_option_reaches_git(clone, run, arguments):
    """git would write the file."""
    (clone / "results" / "v1.0" / "new").write_text("x")
    written = clone / "written"
    options = [a.format(written) for a in arguments]
    bad = next(o for o in options if o != "HEAD")
    assert run("--", *options) == (2, "", f"changed.py: found {bad}, wanted a commit\n")
    assert not written.exists()


@pytest.fixture
def base(law, tmp_path):
    """The base branch of a pull request: this code, with the tests' rules."""
    home = tmp_path / "base"
    for part in ("benchmark", "compliance", "implementations", "results"):
        shutil.copytree(ROOT / part, home / part, ignore=shutil.ignore_patterns("__pycache__", "v[0-9]*"))
    shutil.copytree(law, home / "rules", ignore=shutil.ignore_patterns("__pycache__"))
    return home


def amend(clone):
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "another", "--amend")


def worse(clone):
    """Gives a log a seed that is not fresh."""
    log = sorted(clone.rglob("result_1.txt"))[0]
    log.write_text(re.sub(r'("key": "seed", "value": )\d+', r"\g<1>5", log.read_text()))
    return log


def steps(folder, **more):
    """Runs the steps of the job that judges, but for what sets a machine up: {name: (exit code, output)}."""
    around = {**os.environ, **more, "GITHUB_STEP_SUMMARY": str(folder / "summary"), "PYTHONDONTWRITEBYTECODE": "1"}
    around["PATH"] = f"{Path(sys.executable).parent}:{around['PATH']}"
    found = {}
    for step in WORKFLOW["jobs"]["judge"]["steps"]:
        if "run" in step and step["name"] != "install":
            command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
            where = folder / step.get("working-directory", ".")
            done = subprocess.run(command, cwd=where, env=around, capture_output=True, text=True, timeout=600)
            found[step["name"]] = (done.returncode, done.stdout + done.stderr)
    return found


@pytest.mark.slow
def test_a_good_change_passes(clone, base):
    found = steps(clone.parent)
    assert {name: code for name, (code, _) in found.items()} == dict.fromkeys(found, 0)
    assert found["judge"][1] == ""
    table = (clone.parent / "table.md").read_text()
    assert "### v1.0 · scaffold · tiny" in table and "| box (acme" in table


@pytest.mark.slow
def test_a_bad_change_is_annotated_and_fails(clone, base):
    log = worse(clone)
    amend(clone)
    found = steps(clone.parent)
    assert found["find"][0] == 0 and found["judge"][0] != 0
    where = log.relative_to(clone).as_posix()
    assert re.search(rf"^::error file={re.escape(where)},line=\d+,title=SEED03::SEED03 ", found["judge"][1], re.M)
    assert "no score: failed the check" in (clone.parent / "table.md").read_text()


@pytest.mark.slow
def test_a_copy_of_anothers_runs_fails(clone, base):
    """The finding is shown for the touched submission alone."""
    shutil.copytree(clone / "results" / "v1.0" / "acme", clone / "results" / "v1.0" / "bolt")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "copied")
    code, said = steps(clone.parent)["judge"]
    assert code != 0 and re.search(r"^::error file=results/v1.0/bolt/.*title=RUN05", said, re.M)
    assert "file=results/v1.0/acme" not in said


@pytest.fixture
def frozen(base):
    """The list of a frozen round, whose only file is gone."""
    path = base / "results" / "v1.0" / "frozen.txt"
    path.parent.mkdir()
    path.write_text(f"{'a' * 64} 1 bolt/README.md\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"), [("same", "bolt/README.md: absent"), ("other", "frozen.txt"), (None, "frozen.txt")]
)
def test_a_frozen_round_and_its_list_stay(clone, frozen, change, words):
    """Without the list, or with another one, the round could be changed."""
    path = clone / "results" / "v1.0" / "frozen.txt"
    if change:
        path.write_text(frozen.read_text() if change == "same" else change)
        amend(clone)
    found = steps(clone.parent)
    code, said = found["frozen rounds"]
    assert code != 0 and words in said and (found["judge"][0] != 0 or change != "same")


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_a_correction_has_a_label_and_a_new_list(clone, frozen, kept):
    """Only organisers can set the label. The round stays frozen, and its files are as the new list says."""
    if kept:
        freeze.main([str(clone / "results" / "v1.0"), "--with-errors"])
        amend(clone)
    code, said = steps(clone.parent, CORRECTION="true")["frozen rounds"]
    assert (code == 0) == kept and ("files as frozen" in said) == kept
    assert steps(clone.parent, CORRECTION="false")["frozen rounds"][0] != 0


@pytest.mark.slow
def test_the_hook_stops_a_bad_commit(clone, base):
    for part in ("benchmark", "compliance", "rules", "implementations"):
        shutil.copytree(base / part, clone / part)
    (clone / ".venv" / "bin").mkdir(parents=True)
    python = clone / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (clone / "results" / "v1.0" / "acme" / "README.md").write_text("Ours.\n")

    def hook():
        git(clone, "add", "results")
        done = subprocess.run([ROOT / ".githooks" / "pre-commit"], cwd=clone, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    code, out = hook()
    assert code == 0, out
    worse(clone)
    code, out = hook()
    assert code != 0 and "SEED03" in out


def test_the_workflow_gives_away_no_rights():
    """What is handed in is read with no more than the right to read, by actions that can't change."""
    assert WORKFLOW["permissions"] == {} and list(WORKFLOW[True]) == ["pull_request_target"]
    jobs = WORKFLOW["jobs"]
    assert jobs["judge"]["permissions"] == {"contents": "read"}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    every = [step for job in jobs.values() for step in job["steps"]]
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in every if "uses" in step)
    checkouts = [step for step in every if step.get("uses", "").startswith("actions/checkout@")]
    assert len(checkouts) == 2 and all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert not [step["name"] for step in every if "${{" in step.get("run", "")]
    assert not any(step.get("uses", "").startswith("actions/checkout@") for step in jobs["comment"]["steps"])
