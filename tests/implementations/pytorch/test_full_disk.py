"""A set of runs on a disk that is full: what was finished stays, and the same command makes what is missing later."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.collect import files_in
from benchmark.run.files import LEDGER
from benchmark.tree import result_path
from harness import submit
from harness.launcher import Launcher
from harness.status import read_status
from tests.support.forked import forked_start

pytestmark = pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small disk")


@pytest.fixture
def make(tiny, capfd, monkeypatch):
    """Makes a set of runs of the tiny problem by submit.py: the exit code, and what was said."""

    def runs(out: Path, count: int) -> tuple[int, str]:
        if tiny.warm:
            monkeypatch.setattr(Launcher, "start", forked_start(tiny.warm))
        files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(tiny.data)]
        options = ["--problem", "tiny", *files, "--org", "Us", "--system", "laptop", "--out", str(out)]
        code = submit.main([*options, "--runs", str(count)])
        said = capfd.readouterr().err
        assert "Traceback" not in said, said
        return code, said

    return runs


def test_a_full_disk_of_a_set(make, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", out], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        assert make(out, 1)[0] == 0
        before = files_in(out)
        with open(out / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        code, said = make(out, 2)
        assert code in (1, 2) and "No space left" in said
        after = files_in(out)
        assert all(after[name] == digest for name, digest in before.items() if LEDGER not in name)
        (out / "filler").unlink()
        assert make(out, 2)[0] == 0
        logs = [result_path(out / "Us", "laptop", "scaffold", run) for run in (0, 1)]
        assert [read_status(log).state for log in logs] == ["reached"] * 2
    finally:
        subprocess.run(["umount", out], check=True)
