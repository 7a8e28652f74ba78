"""Every command that writes a file, on a disk that is full: it says so in a line that names the file, without a
traceback, and leaves what was there. And a set of runs."""

import contextlib
import os
import shutil
import subprocess
import sys

import pytest

from benchmark.collect import files_in
from benchmark.run.files import LEDGER
from benchmark.tree import result_path
from harness import submit
from harness.status import read_status
from rules.current import EDITION
from tests.support import LOG, REFERENCE, ROOT

pytestmark = pytest.mark.slow  # a dozen commands and more

TUNED = ROOT / "results" / "v1.0-tuning" / "v1.0"
NAMES = ("--problem", "smoke")
JOB = ("slurm", *NAMES, "--org", "acme", "--system", "box", "--nodes", "1", "--ranks-per-node", "1")
CAMPAIGN = """
problem: smoke
batch_size: 2
space: {learning_rate: {low: 1.0e-3, high: 1.0e-2, scale: log}}
trials: 1
budget: {epochs: 1}
confirmations: 3
"""
COMMANDS = {  # {disk} is the full disk, which holds a clone
    "init": ("harness/init.py", "acme"),
    "render": ("harness/launch/render.py", *JOB, "--output", "{disk}/job.sh"),
    "tune": ("harness/tune.py", "{disk}/campaign.yaml", "--org", "acme", "--system", "box", "--out", "{disk}/out"),
    "generate": ("benchmark/generate.py", *NAMES, "--out", "{disk}/data", "--workers", "1"),
    "new": ("rules/new.py", "v9.9", "--from", EDITION),
    "draw": ("rules/draw.py", "{disk}/round/v1.0/registry.yaml"),
    "freeze": ("results/freeze.py", "{disk}/round/v1.0", "--with-errors"),
    "summarize": ("results/summarize.py", REFERENCE, "--output", "{disk}/page.html"),
    "site": ("results/site.py", ROOT / "results" / "v1.0", "--out", "{disk}/site"),
    "hpo": ("results/hpo.py", TUNED, "--out", "{disk}/tables"),
    "package": ("compliance/package.py", REFERENCE, "--out", "{disk}/package.tar.gz"),
    "completion": ("integrations/completion.py",),
    "compare": ("results/compare.py", LOG.parent, LOG.parent, "--output", "{disk}/page.html"),
    "dlio": ("perf/dlio.py", *NAMES, "--data", ROOT / "docs", "--out", "{disk}/dlio"),
}


@contextlib.contextmanager
def mounted(folder, size):
    """A small disk in a folder."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    """A full disk that holds a clone and a round."""
    folder = tmp_path_factory.mktemp("disk")
    with mounted(folder, "64m"):
        for name in ("benchmark", "harness", "rules", "implementations", "compliance", "perf", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "results", folder / "results", ignore=shutil.ignore_patterns("__pycache__", "v*"))
        (folder / "round" / "v1.0" / "acme").mkdir(parents=True)
        (folder / "round" / "v1.0" / "acme" / "a.txt").write_text("a")
        (folder / "campaign.yaml").write_text(CAMPAIGN)
        asked = subprocess.run([sys.executable, ROOT / "compliance" / "register.py", LOG], stdout=subprocess.PIPE)
        (folder / "request.json").write_bytes(asked.stdout)
        fill(folder)
        yield folder


def fill(folder):
    with open(folder / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def held(folder):
    """Bytes of files, by name."""
    return {str(p.relative_to(folder)): p.stat().st_size for p in folder.rglob("*") if p.is_file()}


def call(disk, name):
    """What a command says in a clone on the disk, where its scratch folders are, too."""
    script, *words = (str(word).format(disk=disk) for word in COMMANDS[name])
    environment = os.environ | {"TMPDIR": str(disk), "PYTHONDONTWRITEBYTECODE": "1"}
    on_disk = script.partition("/")[0] != "integrations"
    command = [sys.executable, str((disk if on_disk else ROOT) / script), *words]
    with open(os.devnull if on_disk else "/dev/full", "w") as out, open(disk / "request.json") as request:
        return subprocess.run(command, stdin=request, stdout=out, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_named_with_the_file(disk, name):
    before = held(disk)
    done = call(disk, name)
    words = "too little disk" if name == "generate" else "No space left on device"  # which is seen before the first
    lines = [line for line in done.stderr.splitlines() if words in line]
    assert done.returncode and len(lines) == 1, done.stderr
    assert str(disk) in lines[0] or "stdout" in lines[0], lines
    assert "Traceback" not in done.stderr
    assert held(disk) == before


def test_a_full_disk_of_a_set(forking, tiny, tmp_path, capfd):
    """What was finished stays. When there is room again, the same command makes what is missing."""
    out = tmp_path / "out"
    out.mkdir()
    options = tiny.harness(out, "--runs")
    with mounted(out, "16m"):
        assert submit.main([*options, "1"]) == 0
        before = files_in(out)
        fill(out)
        assert submit.main([*options, "2"]) in (1, 2)
        after = files_in(out)
        assert all(after[name] == digest for name, digest in before.items() if LEDGER not in name)
        (out / "filler").unlink()
        assert submit.main([*options, "2"]) == 0
        logs = [result_path(out / "Us", "laptop", "scaffold", run) for run in (0, 1)]
        assert [read_status(log).state for log in logs] == ["reached"] * 2
    said = capfd.readouterr().err
    assert "No space left" in said and "Traceback" not in said
