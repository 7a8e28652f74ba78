"""Logs and submissions for the tests, generated from numbers."""

import json
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from compliance.engine import judge
from results import summarize
from results.statistics import expected
from results.statistics.result import summarize as results_of
from rules.edition import load
from rules.reference import reference_points

SETS = yaml.safe_load(Path(__file__).with_name("published.yaml").read_text(encoding="utf-8"))

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
    """A log written event by event; `now` is its clock in milliseconds. With `watts`, a counter of its node is read at
    every edge of the run."""

    now: int = 1_700_000_000_000
    lines: list[str] = field(default_factory=list)
    watts: float | None = None
    began: int = 0  # run_start

    def add(self, key, value=None, after=0, **metadata):
        self.now += after
        kind = "INTERVAL_START" if key.endswith("_start") else "INTERVAL_END" if key.endswith("_stop") else None
        self.lines.append(event(self.now, key, value, kind or "POINT_IN_TIME", **metadata))
        self.began = self.now if key == "run_start" else self.began
        if self.watts is not None and kind and not key.startswith("init"):
            joules = self.watts * (self.now - self.began) / 1000
            epoch = {"epoch_num": metadata["epoch_num"]} if key.startswith(("epoch", "eval")) else {}
            value = {"time_ms": [self.now], "joules": [joules]}
            self.lines.append(event(self.now, "energy_reading", value, moment=key, gap_seconds=1.0, **epoch))
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
    if log.watts is not None:
        source = {"node": "n1", "source": "cray", "scope": "node", "device": "node"}
        log.add("energy_sources", [source], unreadable={}, rehearsal=False)
    return log.add("init_stop", after=1000)


def scaffold_run(
    seconds=10.0,
    epochs=4,
    seed=1,
    reach=True,
    start=1_700_000_000_000,
    stop=True,
    values=None,
    watts=None,
    **facts,
):
    """ScaFFold's layout: evaluation follows the epoch. Half of an epoch's time is evaluation but for 1 s before the
    first and 100 ms after the last. With `watts` its node draws so much."""
    log = Log(start, watts=watts)
    facts = {"problem": "smoke", "target": 0.95, "rules_edition": "v1.0", "seed": seed, **facts}
    header(log, **facts).add("run_start").add("staging_start").add("staging_stop", after=500)
    each = (round(seconds * 1000) - 1100) // (2 * epochs)
    left = round(seconds * 1000) - 1100 - 2 * each * epochs
    log.now += 500
    values = values or [0.9 * (e + 1) / epochs for e in range(epochs - 1)] + [0.96 if reach else 0.94]
    for e, value in enumerate(values, 1):
        log.add("epoch_start", epoch_num=e)
        log.add("tracked_stats", {"throughput": 10.0, "loss": round(1 / e, 6)}, after=each, epoch_num=e)
        log.add("epoch_stop", epoch_num=e, samples_count=100)
        log.add("eval_start", epoch_num=e).add("eval_stop", after=each, epoch_num=e, samples_count=20)
        log.add("eval_accuracy", value, epoch_num=e, samples_count=20)
    if stop:
        log.add("run_stop", after=100 + left, status="success" if reach else "aborted", epoch_num=epochs)
    return log


def five_runs(seconds=50.0, seed=0, epochs=4, more=0, **facts):
    """Five runs of ScaFFold, each a second longer than the one before; every other one takes so many more epochs."""
    return [scaffold_run(seconds + i, epochs + more * (i % 2), seed + i, **facts) for i in range(5)]


def uneven_runs(seconds=(50.0, 40.0, 44.0, 60.0, 41.0), **facts):
    """Five runs of 45 s without the fastest and the slowest; each takes an epoch more than the one before."""
    return [scaffold_run(s, 4 + i, 900 + i, **facts) for i, s in enumerate(seconds)]


def openfold_run(seed=1, start=1_700_000_000_000, blocks=10):
    """OpenFold's layout, v3.0: epochs count samples (blocks of 2,048), evaluations lag behind and overlap the next
    block."""
    log = Log(start)
    facts = {"train_samples": 100_000, "eval_samples": 180, "global_batch_size": 256, "number_of_ranks": 4}
    header(log, "openfold", seed=seed, **facts).add("run_start")
    log.add("eval_start", epoch_num=0)
    for block in range(1, blocks + 1):
        log.add("epoch_start", epoch_num=2048 * block)
        if block > 1:
            before = 2048 * (block - 1)
            log.add("eval_start", epoch_num=before).add("eval_stop", after=7000, epoch_num=before)
            log.add("eval_accuracy", 0.5 + block / 100, epoch_num=before)
        log.add("epoch_stop", after=1000, epoch_num=2048 * block)
        if block == 1:
            log.add("eval_stop", after=100, epoch_num=0)
        log.add("tracked_stats", {"throughput": 200.0 if block % 2 else 300.0}, step=block)
    log.add("eval_start", epoch_num=2048 * blocks).add("eval_stop", after=5000, epoch_num=2048 * blocks)
    log.add("eval_accuracy", 0.81, epoch_num=2048 * blocks)
    return log.add("run_stop", after=100, status="success")


def steps_run(data=1, parts=1, batch=8, rate=10.0, start=1_700_000_000_000, problem="smoke", done=True, **facts):
    """A log of `train.py --steps`, on `data` parts of the batch and `parts` of each sample: no epoch, no evaluation,
    `run_stop` says success. Unless it is `done`, it states no rate of the whole."""
    log = Log(start)
    facts = {"problem": problem, "target": 0.95, "rules_edition": "v1.0", "global_batch_size": batch, **facts}
    header(log, throughput_only=True, layout={"data": data, "depth": parts, "height": 1, "width": 1}, **facts)
    log.add("run_start").add("throughput_setup", {"steps": 20, "warm_up_steps": 3})
    log.add("tracked_stats", {"throughput": rate, "step_seconds": batch / rate}, after=900, block=1)
    if done:
        log.add("throughput", {"throughput": rate, "step_seconds": batch / rate}, after=100, steps=20)
    return log.add("run_stop", status="success")


def cosmoflow_run(values, accuracy=None, start=1_700_000_000_000, **facts):
    """A run whose error falls; with `accuracy`, one more metric is logged beside each error."""
    log = header(Log(start), "cosmoflow", problem="cosmoflow-mini", rules_edition="v1.0", **facts).add("run_start")
    for e, value in enumerate(values, 1):
        log.add("epoch_start", epoch_num=e).add("epoch_stop", after=1000, epoch_num=e)
        log.add("eval_start", epoch_num=e).add("eval_stop", after=100, epoch_num=e)
        log.add("eval_error", value, epoch_num=e)
        if accuracy is not None:
            log.add("eval_accuracy", accuracy(value), epoch_num=e)
    return log.add("run_stop", after=1, status="aborted")


TARGETS = {"cosmoflow": ("eval_error", 0.124, 1), "deepcam": ("eval_accuracy", 0.82, -1)}
SCHEDULE = {"opt_learning_rate_decay_boundary_epochs": [32, 64], "opt_learning_rate_decay_factor": 0.25}
WARM = {"opt_base_learning_rate": 0.001, "opt_learning_rate_warmup_factor": 1.0}
SETTINGS = {
    "cosmoflow": {"opt_name": "SGD", **WARM, "opt_learning_rate_warmup_epochs": 4, **SCHEDULE},
    "deepcam": {"opt_name": "LAMB", **WARM, "opt_learning_rate_warmup_steps": 0, "opt_epsilon": 1e-08},
}


def published_header(entry, start):
    """What comes before the clock starts: no nodes, no accelerators, no target are logged in this round."""
    log = Log(start - 3000)
    facts = {"submission_division": entry.get("logged", entry["division"]), "global_batch_size": entry["batch"]}
    counts = {"train_samples": entry["train"], "eval_samples": entry["eval"]}
    unsaid = {"number_of_nodes": None, "accelerators_per_node": None}
    counts |= SETTINGS[entry["benchmark"]] | ({"seed": start} if entry["benchmark"] == "deepcam" else {})
    header(log, entry["benchmark"], submission_org=entry["org"], **facts, **counts, **unsaid)
    log.now = start
    return log.add("run_start")


def published_run(entry, run):
    """A log with a run's numbers: epochs as even as whole milliseconds allow, each with an evaluation inside it."""
    start, stage, staged, stop, epochs, step, _ = run
    log = published_header(entry, start)
    if staged is not None:
        log.now = start + stage
        log.add("staging_start")
        log.now = start + staged
        log.add("staging_stop")
    key, target, better = TARGETS[entry["benchmark"]]
    each = (start + stop - 20 - log.now) // epochs
    rng = random.Random(start)
    for e in range(entry["epoch_from"], entry["epoch_from"] + epochs):
        last = e == entry["epoch_from"] + epochs - 1
        where = {"epoch_num": e} | ({"step_num": step} if step and last else {})
        value = final(entry, run) if last else target + better * (0.05 + 0.2 * rng.random())
        log.add("epoch_start", epoch_num=e).add("eval_start", after=each - 9, epoch_num=e)
        if better < 0:  # DeepCAM logs its metric inside the evaluation, CosmoFlow after the epoch
            log.add(key, value, **where)
        log.add("eval_stop", after=9, epoch_num=e).add("epoch_stop", epoch_num=e)
        if better > 0:
            log.add(key, value, **where)
    log.now = start + stop
    if entry["runs"].index(run) + 1 == entry.get("unfinished"):
        return log.add("epoch_start", epoch_num=entry["epoch_from"] + epochs)
    return log.add("run_stop", status="success")


def final(entry, run):
    """The last value of a run's metric; the target itself where it isn't noted."""
    return TARGETS[entry["benchmark"]][1] if run[6] is None else run[6]


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
        nodes = "32" if scaling == "weak" else "2"  # room for many models at once
        fields = {**DESCRIPTION, "system_name": system, "number_of_nodes": nodes}
        description.write_text(json.dumps(fields), encoding="utf-8")
        return folder

    def published(self, entry, round="hpc_results_v0.7"):
        """A set of MLPerf HPC v0.7 with its description, as published; its folder."""
        logs = [published_run(entry, run) for run in entry["runs"]]
        folder = self.set(logs, entry["org"], entry["system"], entry["benchmark"], scaling="", edition=round)
        fields = {"number_of_nodes": entry["nodes"], "accelerators_per_node": entry["accelerators"]}
        fields |= {"host_processors_per_node": entry["processors"], "division": entry["division"]}
        path = self.root / round / entry["org"] / "systems" / f"{entry['system']}.json"
        path.write_text(json.dumps({name: str(value) for name, value in fields.items()}), encoding="utf-8")
        return folder

    def results(self, as_logged=True, edition=None):
        """The results of all its sets."""
        return results_of(judge([self.root], edition), as_logged)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "round")


RUNS = {"scaffold": scaffold_run, "five": five_runs, "uneven": uneven_runs, "openfold": openfold_run}
MAKERS = SimpleNamespace(Log=Log, sets=SETS, header=header, steps=steps_run, cosmoflow=cosmoflow_run, **RUNS)


@pytest.fixture
def new_log():
    """What writes logs, for tests that write their own; `sets` are those of MLPerf HPC v0.7."""
    return MAKERS


@pytest.fixture
def points(monkeypatch):
    """The function that has v1.0 publish reference points of ScaFFold, also of its problem smoke, in what its epochs
    count."""

    def publish(epochs, counted="epochs"):
        known, found = load("v1.0"), reference_points(epochs, "smoke")
        smoke = replace(known.problems["smoke"], reference_epochs=found)
        scaffold = replace(known.benchmarks["scaffold"], reference_epochs=found, epoch_num=counted)
        edition = replace(known, problems={"smoke": smoke}, benchmarks={"scaffold": scaffold})
        monkeypatch.setattr(expected, "load", lambda name: edition)

    return publish


@pytest.fixture
def read(tmp_path):
    """What the checker reads in a log, judged by itself."""

    def run(log, edition="v1.0"):
        path = log.write(tmp_path / "alone" / "result_0.txt")
        (verdict,) = judge([path], edition).logs
        return verdict.run

    return run


@pytest.fixture
def run(capsys):
    """(exit code, what was written) of a command, by default summarize.py, with --as-logged."""

    def call(*args, command=summarize):
        code = command.main(["--as-logged", *map(str, args)])
        return code, capsys.readouterr()

    return call
