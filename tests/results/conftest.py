"""Logs and submissions for the tests, generated from numbers."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

DESCRIPTION = {
    "submitter": "acme",
    "division": "closed",
    "status": "onprem",
    "system_name": "box",
    "number_of_nodes": "2",
    "host_processors_per_node": "2",
    "accelerators_per_node": "4",
    "accelerator_model_name": "A",
}


def event(time, key, value=None, kind="POINT_IN_TIME", **metadata):
    fields = {"namespace": "", "time_ms": time, "event_type": kind, "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**fields, "metadata": {"file": "train.py", "lineno": 1, **metadata}})


@dataclass
class Log:
    """A log written event by event; `now` is its clock in milliseconds."""

    now: int = 1_700_000_000_000
    lines: list[str] = field(default_factory=list)

    def add(self, key, value=None, after=0, **metadata):
        self.now += after
        kind = "INTERVAL_START" if key.endswith("_start") else "INTERVAL_END" if key.endswith("_stop") else None
        self.lines.append(event(self.now, key, value, kind or "POINT_IN_TIME", **metadata))
        return self

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return path


def header(log, benchmark="scaffold", **facts):
    facts = {
        "submission_benchmark": benchmark,
        "submission_org": "acme",
        "submission_division": "closed",
        "submission_status": "onprem",
        "submission_platform": "box",
        "number_of_nodes": 1,
        "accelerators_per_node": 4,
        "global_batch_size": 8,
        "train_samples": 100,
        "eval_samples": 20,
        **facts,
    }
    log.add("cache_clear", True).add("init_start")
    for key, value in facts.items():
        if value is not None:
            log.add(key, value)
    return log.add("init_stop", after=1000)


def scaffold_run(seconds=10.0, epochs=4, seed=1, reach=True, start=1_700_000_000_000, stop=True, values=None, **facts):
    """ScaFFold's layout: evaluation follows the epoch. Half of an epoch's time is evaluation but for 1 s before the
    first and 100 ms after the last."""
    log = Log(start)
    facts = {"problem": "smoke", "target": 0.95, "rules_edition": "v1.0", "seed": seed, **facts}
    header(log, **facts).add("run_start").add("staging_start").add("staging_stop", after=500)
    each = (round(seconds * 1000) - 1100) // (2 * epochs)
    left = round(seconds * 1000) - 1100 - 2 * each * epochs
    log.now += 500
    values = values or [0.9 * (e + 1) / epochs for e in range(epochs - 1)] + [0.96 if reach else 0.94]
    for e, value in enumerate(values, 1):
        log.add("epoch_start", epoch_num=e)
        log.add("tracked_stats", {"throughput": 10.0, "loss": 1 / e}, after=each, epoch_num=e)
        log.add("epoch_stop", epoch_num=e, samples_count=100)
        log.add("eval_start", epoch_num=e).add("eval_stop", after=each, epoch_num=e, samples_count=20)
        log.add("eval_accuracy", value, epoch_num=e, samples_count=20)
    if stop:
        log.add("run_stop", after=100 + left, status="success" if reach else "aborted", epoch_num=epochs)
    return log


@dataclass
class Tree:
    """A round of submissions being written."""

    root: Path

    def set(self, logs, org="acme", system="box", benchmark="scaffold", scaling="strong", edition="v1.0", pruned=()):
        home = self.root / edition / org
        folder = home / "results" / system / scaling / benchmark if scaling else home / "results" / system / benchmark
        for i, log in enumerate(logs):
            log.write(folder / f"result_{i}.txt")
        for i, log in enumerate(pruned):
            log.write(folder / "pruned_results" / f"result_{len(logs) + i}.txt")
        description = home / "systems" / f"{system}.json"
        description.parent.mkdir(parents=True, exist_ok=True)
        description.write_text(json.dumps({**DESCRIPTION, "system_name": system}), encoding="utf-8")
        return folder


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "round")


class Makers:
    """Log, header and scaffold_run, for tests that write their own."""

    Log = Log
    header = staticmethod(header)
    scaffold = staticmethod(scaffold_run)


@pytest.fixture
def new_log():
    return Makers


@pytest.fixture(scope="session")
def makers():
    """folder -> (a round being written there, Makers), for fixtures that outlive a test."""
    return lambda folder: (Tree(folder / "round"), Makers)
