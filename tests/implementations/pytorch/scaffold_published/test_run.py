"""Runs on data in the authors' format: from the dataset to the table, and under layouts of ranks."""

import dataclasses
import json
import subprocess
import sys

import pytest

from benchmark.generate import record
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path
from tests.support import ROOT
from tests.support.published import write_dataset
from tests.support.tiny import Tiny, define

pytestmark = pytest.mark.slow


def call(*command) -> str:
    """What a command prints, on stdout and stderr."""
    done = subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_dataset_as_published_becomes_a_row_of_a_table(tmp_path):
    data, out = write_dataset(tmp_path / "data", load_problem("published4")), tmp_path / "results" / "v1.0"
    call("benchmark/generate.py", "--problem", "published4", "--out", data, "--manifest")
    who = ("--problem", "published4", "--org", "acme", "--system", "box")
    call("harness/submit.py", *who, "--data", data, "--out", out, "threads=1")
    judged = call("compliance/check.py", out / "acme")
    assert "passed" in judged and "error" not in judged
    table = call("results/summarize.py", out)
    assert "v1.0 · scaffold_published (as published: colour alone scores 1.0) · published4" in table
    (row,) = json.loads(call("results/summarize.py", out, "--format", "json"))["results"]
    assert (row["benchmark"], row["converged"], row["runs"]) == ("scaffold_published", 5, 5)
    html = tmp_path / "report.html"
    html.write_text(call("results/summarize.py", out, "--format", "html"))
    assert "as published: colour alone scores 1.0" in html.read_text()


def test_layouts_of_ranks_log_the_same_samples(tmp_path, warm):
    sizes = {"instances": 6, "train_samples": 7, "validation_samples": 3}
    problem = dataclasses.replace(load_problem("published4"), name="tiny", **sizes)
    problems = define(tmp_path / "problems.yaml", problem)
    data = write_dataset(tmp_path / "data", problem)
    record(data, problem)
    tiny = Tiny(problem, problems, config_path("published4"), data, warm)
    settings = ("batch_size=2", "eval_batch_size=2", "epochs=1", "threads=1", "precision=float32")
    evaluations, fingerprints = [], []
    for layout, ranks in (("1,1,1,1", 1), ("2,1,1,1", 2), ("1,1,2,1", 2)):
        more = ["--rehearsal-seed", "3", "--layout", layout]
        more += ["--stage", str(tmp_path / "node")] if layout == "1,1,2,1" else []  # both files of every sample
        events = tiny.ran(tmp_path / f"{layout}.txt", *more, *settings, ranks=ranks, code=1)
        evaluations.append(next(e for e in events if e.key == "eval_accuracy"))
        fingerprints.append([(e.value, e.metadata["class_counts"]) for e in events if e.key == "dataset_fingerprint"])
    assert fingerprints[0] == fingerprints[1] == fingerprints[2]
    truth = [[[t for *_, t in row] for row in e.metadata["counts"]] for e in evaluations]
    assert len(truth[0]) == 3 and truth[0] == truth[1] == truth[2]
    hits = [sum(i for row in e.metadata["counts"] for i, *_ in row) for e in evaluations]
    assert max(hits) - min(hits) <= 0.05 * max(hits) + 2  # rounding in another order
    assert [e.value for e in evaluations] == pytest.approx([evaluations[0].value] * 3, abs=0.02)
