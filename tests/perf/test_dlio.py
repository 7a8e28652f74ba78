"""The command."""

import shlex
from pathlib import Path

import pytest
import yaml

from benchmark.log import LogWriter
from benchmark.problem import load_problem
from benchmark.scaffold.store import sample_path
from perf import dlio
from tests.support.lines import line


@pytest.fixture
def call(tmp_path):
    """The function that calls the command, with its folders in one of the test's: its exit code."""

    def act(*words: str) -> int:
        return dlio.main(["--data", str(tmp_path), *words, "--out", str(tmp_path / "a folder")])

    return act


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--problem", "smok"], "smok"),
        (["--problem", "smoke", "--ranks", "3"], "divisor of the batch size 2"),
        (["--problem", "smoke", "--ranks", "0"], "--ranks: found 0, wanted at least 1"),
        (["--problem", "smoke", "--compute-seconds", "nan"], "--compute-seconds: found nan, wanted at least 0"),
        (["--problem", "smoke", "--data", "nowhere"], "nowhere: found no folder, wanted a dataset"),
    ],
)
def test_what_can_be_mended_is_one_line(call, capsys, words, said):
    assert call(*words) == 2
    assert said in capsys.readouterr().err


def test_the_command_of_an_export_can_be_typed(call, capsys, tmp_path):
    """DLIO's own words: workload=NAME of a folder of YAML, by MPI at several ranks; it is quoted for a shell."""
    out = tmp_path / "a folder"
    assert call("--problem", "smoke", "--ranks", "2") == 0
    left, command = capsys.readouterr().out.splitlines()
    assert left == f"{out}: left out of train, validation: 0, 8"  # of 72, in steps of 2 x 8
    found = shlex.split(command)
    assert found[5:8] == [str(Path("build/dlio/bin/mpiexec").absolute()), "-n", "2"]
    assert found[9].endswith("perf/storage/launch.py") and found[10] == "workload=smoke_store"
    assert found[11:] == [f"hydra.run.dir={out}/output", "--config-dir", f"{out}/config"]


def test_samples_in_whole_steps_are_links(tmp_path):
    data, folder = tmp_path / "data", tmp_path / "store"
    counts = dlio.export(load_problem("smoke"), data, folder, {"train": 50, "validation": 73})
    assert counts == {"train": 150, "validation": 0}  # of 168 and 72
    links = sorted((folder / "train").iterdir())
    assert len(links) == 150 and not list((folder / "valid").iterdir())
    assert links[3].resolve() == sample_path(data, "train", 3).resolve() and links[3].suffix == ".hdf5"
    assert yaml.safe_load((folder / "store.yaml").read_text()) == {"problem": "smoke", "data": str(data)}


def workload(out: Path) -> dict:
    (path,) = (out / "config" / "workload").iterdir()
    return yaml.safe_load(path.read_text())


def test_a_workload_reads_as_a_run_does(call, tmp_path):
    assert call("--problem", "smoke", "--ranks", "2", "--workers", "3", "--compute-seconds", "0.5") == 0
    said = workload(tmp_path / "a folder")
    assert said["dataset"] == {
        "data_folder": str(tmp_path / "a folder" / "store"), "format": "hdf5", "num_files_train": 168,
        "num_files_eval": 64, "num_samples_per_file": 1, "record_length": 2 * 32**3,
    }  # fmt: skip
    reader = said["reader"]
    assert reader["reader_classname"].endswith("StoreReader") and said["workflow"]["evaluation"] is True
    assert [reader[name] for name in ("batch_size", "batch_size_eval", "read_threads", "prefetch_size")] == [1, 8, 3, 6]
    assert said["train"] == {"epochs": 2, "computation_time": 0.5, "computation_time_stdev": 0.0}


def test_a_log_has_the_seconds_of_computation(call, tmp_path):
    log = LogWriter(tmp_path / "log.txt")
    log.event("tracked_stats", {"step_compute_seconds": [1.0, 1.0, 3.0], "compute_seconds": 9.0})
    log.close()
    assert call("--problem", "cosmoflow-mini", "--from-log", str(tmp_path / "log.txt"), "--workers", "0") == 0
    said = workload(tmp_path / "a folder")
    assert said["train"]["computation_time"] == pytest.approx(1.5, abs=0.1)
    assert said["train"]["computation_time_stdev"] == pytest.approx(0.6, abs=0.1)
    assert said["model"] == "cosmoflow_mini_store" and said["evaluation"] == {"eval_time": 0.0}
    assert said["dataset"]["record_length"] == 32784 and said["reader"]["read_threads"] == 0


def test_an_evaluation_step_takes_its_share_of_the_median_evaluation(tmp_path):
    log, keys = tmp_path / "log.txt", ("eval_start", "eval_stop") * 3
    log.write_text("".join(map(line, keys, (0, 1000, 5000, 14_000, 20_000, 22_000))))
    assert dlio.evaluation_seconds(log, load_problem("smoke"), 10) == 0.25  # 2 s, 8 steps of 72 samples
    assert dlio.evaluation_seconds(None, load_problem("smoke"), 10) == 0
