"""Whole runs, in real processes."""

import hashlib
import itertools
import json
import math
import subprocess
import sys
import time

import pytest
import torch
from mlperf_logging.compliance_checker.mlp_parser import parse_file

from benchmark.ledger import read_ledger
from benchmark.log import ROOT
from benchmark.manifest import load_manifest
from benchmark.metric import Counts, dice
from benchmark.run.files import LEDGER
from benchmark.run.log import time_to_target
from benchmark.tuning.table import taken
from compliance.engine import judge
from tests.support.lines import of, values

HEAD = """cache_clear submission_benchmark submission_org submission_division submission_status submission_platform
init_start seed problem problem_digest rules_edition target train_samples eval_samples number_of_nodes number_of_ranks
accelerators_per_node devices layout energy_sources parameter_count global_batch_size precision opt_name
opt_learning_rate_decay_schedule opt_base_learning_rate opt_end_learning_rate opt_adam_beta_1 opt_adam_beta_2
opt_adam_epsilon opt_weight_decay opt_gradient_clip_norm hyperparameters config_digest source versions environment
ledger init_stop run_start"""
FIRST = (
    "epoch_start tracked_stats epoch_stop dataset_fingerprint eval_start eval_stop dataset_fingerprint eval_accuracy"
)


@pytest.mark.parametrize(
    ("layout", "workers", "fresh"),
    [
        ((1, 1, 1, 1), 2, True),
        ((1, 1, 2, 1), 1, True),
        ((2, 2, 1, 1), 0, False),
    ],
)
def test_run_logs_what_it_read_and_reached(tiny, events, tmp_path, layout, workers, fresh):
    log, ranks = tmp_path / "result_0.txt", math.prod(layout)
    named = ["--layout", ",".join(map(str, layout))] if math.prod(layout[1:]) > 1 else []  # all by data is the default
    done = tiny.train(log, *named, f"workers={workers}", ranks=ranks, fresh=fresh)
    assert done.returncode == 0, done.stderr
    assert "epoch 1: loss" in done.stderr and "Traceback" not in done.stderr
    found = events(log)
    assert done.stdout == f"time to target: {time_to_target(log):.3f} s\n"  # of all ranks together
    assert [e.key for e in found] == [*HEAD.split(), *FIRST.split(), "run_stop", "weights"]
    assert found[-2].value is None and found[-2].metadata["status"] == "success"
    ((device,),) = values(found, "devices")
    assert (device["kind"], device["ranks"], device["uuids"]) == ("cpu", ranks, [])
    assert values(found, "number_of_ranks") == [ranks] and tuple(values(found, "layout")[0].values()) == layout

    manifest = load_manifest(tiny.data, tiny.problem)
    for event in of(found, "dataset_fingerprint"):
        split = event.metadata["split"]
        assert event.value == manifest.fingerprints[split]
        assert event.metadata["class_counts"] == list(manifest.class_counts[split])
        assert event.metadata["samples_count"] == len(tiny.problem.split_samples(split))
        read = event.metadata["bytes_read"]
        assert ranks * read["least_by_rank"] <= read["total"] <= ranks * read["most_by_rank"]
    score = found[-3]
    counts = Counts(*(tuple(score.metadata[name]) for name in ("intersection", "predicted", "true")))
    assert counts.true == tuple(manifest.class_counts["validation"]) and score.value == dice(counts)
    assert [e.metadata["samples_count"] for e in found if e.key in ("epoch_stop", "eval_stop")] == [7, 4]
    lines, errors = parse_file(str(log), ruleset="6.1.0")  # the official parser
    assert not errors and [(line.key, line.timestamp) for line in lines] == [(e.key, e.time_ms) for e in found]


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
def test_a_gpu_that_is_not_there_is_one_line_and_exit_2(tiny, tmp_path):
    done = tiny.train(tmp_path / "log.txt", "device=cuda")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("train.py: device: found no GPU") and not (tmp_path / "log.txt").exists()


CLOCK = """
import os, time
real = time.time_ns
time.time_ns = lambda: real() + {seconds} * 10**9 * os.path.exists({log!r})
"""


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_set_changes_no_time(tiny, events, tmp_path, seconds):
    """By an hour, as soon as there is a log."""
    log, folder, begin = tmp_path / "result_0.txt", tmp_path / "site", time.monotonic()
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(CLOCK.format(seconds=seconds, log=str(log)))
    done = tiny.train(log, fresh=True, env={"PYTHONPATH": str(folder)})
    assert done.returncode == 0 and f"clock set by {seconds:+} s meanwhile" in done.stderr
    times = [e.time_ms for e in events(log)]
    assert all(a <= b for a, b in itertools.pairwise(times))
    assert times[-1] - times[0] <= 1000 * (time.monotonic() - begin)
    start, end = read_ledger(tmp_path / LEDGER).entries
    assert times[0] <= start.time_ms <= times[-1] <= end.time_ms < times[-1] + 60_000


def test_settings_from_a_table_are_logged_and_judged(tiny, published, events, tmp_path):
    """Batch 3 lies between the rows; the config has another batch size, and the command line a rate of its own."""
    rows = {}
    for batch, rate in ((2, 1e-3), (4, 4e-3)):
        settings = {"end_learning_rate": rate, "learning_rate": rate, "warmup_epochs": 1}
        rows[f"tiny_{batch}"] = {"BS": batch, "Hyperparams": settings, "Samples to converge": {"mean": 7}}
    table, log = tmp_path / "hpo_table.json", tmp_path / "result_0.txt"
    table.write_text(json.dumps(rows))
    done = tiny.train(log, "--batch-from-table", f"{table}:3", "learning_rate=0.005")
    assert done.returncode == 0 and "batch size 3 are interpolated between 2 and 4" in done.stderr
    found = {e.key: e.value for e in events(log)}
    said, settings = found["settings_table"], found["hyperparameters"]
    assert said["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest() and said["over"] == ["learning_rate"]
    assert (settings["batch_size"], settings["learning_rate"]) == (3, 0.005)
    assert settings["end_learning_rate"] == taken(said).row.settings["end_learning_rate"] == 0.00225
    rules = published(log, tmp_path / "rules")

    def codes(paths):
        return {f.code for f in judge(paths, rules=rules).findings if f.severity == "error"}

    assert not codes([str(log)]) & {"TUN10", "ENV07", "LOG06"}
    log.write_text(log.read_text().replace('"BS": 4', '"BS": 5', 1))
    assert "TUN10" in codes([str(log)])


def test_nothing_is_loaded_after_the_source_was_logged(tiny, events, tmp_path):
    log, checkpoints = tmp_path / "log.txt", str(tmp_path / "checkpoints")
    options = [*tiny.options(log), "--checkpoint", checkpoints, "--stage", str(tmp_path / "stage"), "workers=1"]
    code = "import json, sys; from implementations.pytorch import train; from benchmark.source import install\n"
    code += "assert train.main(sys.argv[1:]) == 0; print(json.dumps(install().files))"
    done = subprocess.run([sys.executable, "-c", code, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (event,) = of(events(log), "source")
    assert event.metadata["config"] == "config/config.yaml"
    assert event.metadata["files"].keys() == {*json.loads(done.stdout.splitlines()[-1]), "config/config.yaml"}


@pytest.mark.parametrize(
    ("name", "said"),
    [("file", "found a log, wanted a new name: nothing is overwritten"), ("file/log.txt", "File exists")],
)
def test_a_log_never_takes_the_place_of_a_file(tiny, tmp_path, name, said):
    (tmp_path / "file").write_text("a run that took a week\n")
    done = tiny.train(tmp_path / name)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"train.py: {tmp_path}/file") and said in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["a run that took a week\n"]
