"""The command."""

import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from perf import dlio


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--problem", "smok", "--data", "d", "--out", "o"], "smok"),
        (["--problem", "smoke", "--data", "d", "--out", "o", "--ranks", "3"], "divisor of the batch size 2"),
    ],
)
def test_what_can_be_mended_is_one_line(monkeypatch, capsys, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["dlio.py", *arguments])
    assert dlio.main() == 2
    assert said in capsys.readouterr().err


def test_the_command_of_an_export_can_be_typed(monkeypatch, capsys, tiny, tmp_path):
    """DLIO's own words: workload=NAME of a folder of YAML, by MPI at several ranks; it is quoted for a shell."""
    out = tmp_path / "a folder"
    words = ["--problem", "tiny", "--data", str(tiny.data), "--out", str(out), "--ranks", "2"]
    monkeypatch.setattr(dlio, "load_problem", lambda name: tiny.problem)
    monkeypatch.setattr(
        dlio, "reference_settings", lambda name: SimpleNamespace(batch_size=2, eval_batch_size=1, prefetch=2)
    )
    monkeypatch.setattr(sys, "argv", ["dlio.py", *words, "--into", "none"])
    assert dlio.main() == 0
    commands = [shlex.split(line) for line in capsys.readouterr().out.splitlines() if line.startswith("env ")]
    (found,) = commands
    assert found[5:8] == [str(Path("none/bin/mpiexec").absolute()), "-n", "2"]
    assert found[9].endswith("perf/storage/launch.py") and found[10] == "workload=tiny_store"
    assert found[11:] == [f"hydra.run.dir={out}/output", "--config-dir", f"{out}/config"]
    assert (out / "config" / "workload" / "tiny_store.yaml").is_file()
