"""A copy of the implementation under another name runs itself: its modules, its configs, its submit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.collect import files_in
from benchmark.tree import result_path
from compliance.engine import judge
from rules.current import current
from tests.support import ROOT
from tests.support.tiny import environment

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


def start(*command: object, cwd: Path) -> subprocess.CompletedProcess:
    """A finished script, started in a folder of its own."""
    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, timeout=300
    )


def test_two_systems_with_configs_of_their_own_are_judged_clean(copied, tiny, events, published, tmp_path):
    """Each is a run of the copy by the copy's submit; the second system's config is another file of the same name."""
    out, config = tmp_path / current(), copied / "implementations" / NAME / "configs" / "tiny.yaml"
    files = ["--problem", "tiny", "--problems", tiny.problems, "--data", tiny.data, "--out", out]
    for system, more in (("one", ["--nproc", "2"]), ("two", [])):
        names = ["--implementation", NAME, "--org", "acme", "--system", system, "--runs", "1", *more]
        done = start(copied / "harness" / "submit.py", *files, *names, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        source = next(e for e in events(result_path(out / "acme", system, "scaffold", 0)) if e.key == "source")
        assert source.metadata["files"].items() <= files_in(copied).items()
        mine = {name for name in source.metadata["files"] if name.startswith("implementations/")}
        mine -= {"implementations/__init__.py"}
        assert all(name.startswith(f"implementations/{NAME}/") for name in mine)
        wanted = {f"implementations/{NAME}/{name}" for name in ("train.py", "configs/tiny.yaml", "scaffold/task.py")}
        assert wanted <= mine and source.metadata["config"] == f"implementations/{NAME}/configs/tiny.yaml"
        config.write_text(config.read_text().replace("eval_batch_size: 3", "eval_batch_size: 2"))
    rules = published(result_path(out / "acme", "one", "scaffold", 0), tmp_path / "rules")
    verdict = judge([out / "acme"], rules=rules)
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
