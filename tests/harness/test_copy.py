"""A copy of the implementation under another name runs itself: its modules, its configs, its submit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.collect import files_in
from benchmark.log import Event, read_log
from benchmark.tree import result_path
from compliance.engine import judge
from rules.current import current
from tests.support import ROOT

pytestmark = pytest.mark.slow

NAME = "acme-v2"  # no identifier


@pytest.fixture(scope="module")
def copied(tiny, tmp_path_factory) -> Path:
    """A repository with a copy beside the original. The tiny problem has a config in the copy alone."""
    root = tmp_path_factory.mktemp("copied") / "repository"
    for package in ("benchmark", "rules", "implementations", "harness"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(root / "implementations" / "pytorch", root / "implementations" / NAME)
    shutil.copy(tiny.config, root / "implementations" / NAME / "configs" / "tiny.yaml")
    return root


@pytest.fixture(scope="module")
def ran(copied, tiny, tmp_path_factory) -> tuple[Path, Event]:
    """The submission of a run of the copy by the copy's submit, on two ranks, started elsewhere; its event `source`."""
    out = tmp_path_factory.mktemp("out")
    submission = submit(copied, tiny, out, "--system", "one", "--nproc", "2")
    log = result_path(submission, "one", "scaffold", 0)
    return submission, next(e for e in read_log(log) if e.key == "source")


def submit(copied: Path, tiny, out: Path, *more: str) -> Path:
    """The submission of a run of the copy."""
    files = ["--problem", "tiny", "--problems", tiny.problems, "--data", tiny.data, "--out", out / current()]
    names = ["--implementation", NAME, "--org", "acme", "--runs", "1", *more]
    done = start(copied / "harness" / "submit.py", *files, *names, cwd=out)
    assert done.returncode == 0, done.stderr
    return out / current() / "acme"


def start(*command: object, cwd: Path) -> subprocess.CompletedProcess:
    names = ("RANK", "SLURM", "PMI", "OMPI", "FLUX", "WORLD", "LOCAL", "MASTER", "PYTHONPATH")
    env = {k: v for k, v in os.environ.items() if not k.startswith(names)}
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, timeout=300
    )


def test_the_copy_loads_itself(ran):
    names = set(ran[1].metadata["files"])
    mine = {name for name in names if name.startswith("implementations/")} - {"implementations/__init__.py"}
    assert mine and all(name.startswith(f"implementations/{NAME}/") for name in mine)
    assert {f"implementations/{NAME}/{name}" for name in ("train.py", "configs/tiny.yaml", "scaffold/task.py")} <= mine
    assert {name.partition("/")[0] for name in names} <= {"benchmark", "implementations", "rules"}
    assert ran[1].metadata["config"] == f"implementations/{NAME}/configs/tiny.yaml"


def test_its_submission_has_its_source(ran, copied):
    submission, event = ran
    (folder,) = (submission / "source").iterdir()
    assert files_in(folder) == event.metadata["files"] and event.value.startswith(folder.name)
    for path in event.metadata["files"]:
        assert (folder / path).read_bytes() == (copied / path).read_bytes()


def test_two_systems_with_configs_of_their_own_are_judged_clean(ran, copied, tiny, published, tmp_path):
    """One submission of the copy: the second system's config is another file of the same name."""
    submission = shutil.copytree(ran[0], tmp_path / current() / "acme")
    config = copied / "implementations" / NAME / "configs" / "tiny.yaml"
    before = config.read_text()
    config.write_text(before.replace("eval_batch_size: 3", "eval_batch_size: 2"))
    try:
        submit(copied, tiny, tmp_path, "--system", "two")
    finally:
        config.write_text(before)
    assert len(list((submission / "source").iterdir())) == 2
    verdict = judge([submission], rules=published(result_path(submission, "one", "scaffold", 0), tmp_path / "rules"))
    assert [f.text() for f in verdict.findings if f.severity == "error"] == []
    assert sorted((s.system, len(s.logs)) for s in verdict.all_sets) == [("one", 1), ("two", 1)]


def test_a_job_names_the_copy(copied, tmp_path):
    """A job runs the clone whose render.py wrote it, wherever the scheduler keeps the script."""
    job = tmp_path / "slurm_script"
    shape = ("--nodes", "1", "--ranks-per-node", "2", "--layout", "1,2,1,1", "--device", "cpu", "--out", tmp_path)
    shape += ("--org", "acme", "--system", "box", "--implementation", NAME)
    render = copied / "harness" / "launch" / "render.py"
    done = start(render, "mpi", "--problem", "smoke", *shape, "--output", job, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    env = {"PATH": os.environ["PATH"], "PYTHON": "echo"}
    told = subprocess.run(["bash", str(job)], cwd="/", env=env, capture_output=True, text=True)
    assert told.stdout.startswith(f"harness/submit.py --implementation {NAME} --problem smoke "), told.stderr
    assert f"cd {copied}\n" in job.read_text()


def test_a_folder_name_with_a_dot_is_one_line_and_exit_2(copied):
    folder = copied / "implementations" / "acme.v2"
    folder.mkdir()
    shutil.copy(ROOT / "implementations" / "pytorch" / "train.py", folder)
    done = start(folder / "train.py", "--help", cwd=copied)
    assert done.returncode == 2
    assert done.stderr == "train.py: found 'implementations.acme.v2', wanted a folder without a dot in its name\n"
