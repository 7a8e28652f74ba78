"""Rows of the comparison."""

import json

import pytest

from benchmark.log import LogWriter
from perf.storage.sides import HEAD, dlio_side, run_dlio, table, trial_side


def test_a_dlio_row_is_what_its_summary_says(tmp_path):
    metric = {"train_au_percentage": [83.6, 90.0], "train_throughput_samples_per_second": [17.0, 19.0]}
    (tmp_path / "summary.json").write_text(json.dumps({"metric": metric}))
    side = dlio_side(tmp_path, "stock", 65536, 3)
    assert side.utilization == (83.6, 90.0) and side.nominal == pytest.approx(18 * 65536 / 1e6)
    assert (side.read, side.device, side.cut, side.ceiling) == (None, None, 3, None)
    text = table([side])
    assert all(word in text.splitlines()[0] for word in HEAD) and "83.6 90.0" in text


def test_a_trials_row_is_what_its_log_says(tmp_path):
    writer = LogWriter(tmp_path / "log")
    writer.event("io_setup", {"null_au": 0.998})
    writer.event("io_epoch", {"au": {"mean": 0.9}, "throughput": 20.0})
    total = {"seconds": 2.0, "logical_bytes": {"total": 4_000_000}, "read_bytes": {"total": 2_000_000}}
    writer.event("io_trial", total | {"physical_bytes": None})
    writer.close()
    side = trial_side(tmp_path / "log", "trial, spin")
    assert (side.nominal, side.read, side.device, side.ceiling) == (2.0, 1.0, None, pytest.approx(99.8))
    assert side.utilization == (90.0,) and "99.8" in table([side])


def test_a_dlio_that_fails_is_named(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such workload >&2\nexit 3\n")
    python.chmod(0o755)

    class Problem:
        name = "smoke"

    with pytest.raises(ValueError, match="ended with 3: no such workload"):
        run_dlio(python, tmp_path, Problem, "stock")
