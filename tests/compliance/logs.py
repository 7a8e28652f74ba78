"""Good logs for tests to damage: what the reference writes, of a made-up problem `tiny`."""

import copy
import hashlib
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from benchmark.dice_by_sample import dice_sums
from benchmark.log import Event
from benchmark.metric import Counts, dice, mean
from benchmark.source import combine
from compliance.reading import log as reading_log
from rules.current import ROOT
from rules.edition import load

TRUE = [400_000, 50_000, 30_000, 20_000]
START = 1_775_000_000_000  # in the year of the edition, before today
TINY = {
    "benchmark": "scaffold",
    "target": 0.95,
    "train_samples": 8,
    "eval_samples": 4,
    "parameter_count": 1234,
    "problem_digest": "d" * 64,
    "fingerprints": {"train": "a" * 64, "validation": "b" * 64},
    "class_counts": {"train": [8000, 900, 700, 400], "validation": TRUE},
    "bytes": {"train": 2000, "validation": 1000},
    "flops_per_sample": 10**10,
    "reference_epochs": {  # runs have a batch of 4, at which none needs fewer
        2: [6.5, 4.8, 5.6, 6.3, 5.1, 5.9, 5.3, 6.1, 5.5, 5.2],
        4: [1.2, 1.9, 1.5, 1.7, 1.4, 1.6, 1.3, 1.8, 1.25, 1.55],
        5: [1, 9],
        6: [5.31, 5.52, 5.4, 5.66, 5.23, 5.45, 5.74, 5.6, 5.37, 5.12],
        8: [4.31, 4.62, 4.5, 4.76, 4.23, 4.55, 4.84, 4.7, 4.47, 4.12],
    },
}
SITE = {"train": "a" * 64, "validation": "b" * 64}  # a copy of data that nobody can generate
# Of a benchmark whose score is a mean error.
MEAN = {**TINY, "benchmark": "probe", "target": 0.2, "outputs": 2, "site_data": True}
MEAN |= {"fingerprints": {}, "datasets": {"site": SITE}}
SAMPLED = {**TINY, "benchmark": "sampled", "outputs": 3}  # of one whose score is a mean of Dice by sample
CODE = "implementations/pytorch"
TRAIN = '''"""Trains."""

import argparse
import os

import torch


def fresh_seed():
    return int.from_bytes(os.urandom(8), "little") >> 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rehearsal-seed", type=int, default=None)
    args = parser.parse_args()
    seed = args.rehearsal_seed if args.rehearsal_seed is not None else fresh_seed()
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1)
    log.event("seed", seed, source="os.urandom")
    return generator
'''
OWN = ("benchmark/fingerprint.py", "benchmark/log.py", "benchmark/metric.py", "rules/edition.py")  # loaded by every run
SOURCE = {
    f"{CODE}/train.py": TRAIN,
    f"{CODE}/configs/tiny.yaml": "epochs: 60\nlearning_rate: 0.001\n",
    **{path: (ROOT.parent / path).read_text() for path in OWN},
}
SETTINGS = dict.fromkeys(load("v1.0").benchmarks["scaffold"].settings, 0) | {
    "batch_size": 4,
    "accumulate": 1,
    "background_weight": 0.02,
    "learning_rate": 0.001,
    "end_learning_rate": 0.0001,
    "beta_1": 0.9,
    "beta_2": 0.999,
    "epsilon": 1e-8,
    "weight_decay": 0.0,
    "gradient_clip": 1.0,
    "device": "cpu",
    "precision": "float32",
    "threads": 1,
}
PAUSE = 600_000  # milliseconds that a run is interrupted for
READ = {"train": 4000, "validation": 2000}  # bytes, by two ranks


def digests(files: dict[str, str]) -> dict[str, str]:
    """The sha256 of each file, by path."""
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}


def config_digest(settings: dict) -> str:
    """What a log says of its hyperparameters."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def logged(time_ms: int, key: str, value=None, event_type="POINT_IN_TIME", **metadata) -> dict:
    """An event as a log has it."""
    fields = {"namespace": "", "time_ms": time_ms, "event_type": event_type, "key": key, "value": value}
    return {**fields, "metadata": {"file": "train.py", "lineno": 1, **metadata}}


@dataclass
class Log:
    """A log as a list of events, which a test changes before it is written."""

    events: list[dict] = field(default_factory=list)
    time_ms: int = START

    def add(self, key, value=None, event_type="POINT_IN_TIME", after=1, **metadata):
        """Another event, `after` milliseconds later."""
        self.time_ms += after
        metadata = {"lineno": 10 + len(self.events) % 7, **metadata}
        self.events.append(logged(self.time_ms, key, value, event_type, **metadata))

    def start(self, key, after=1, **metadata):
        self.add(key, None, "INTERVAL_START", after, **metadata)

    def stop(self, key, after=1, **metadata):
        self.add(key, None, "INTERVAL_END", after, **metadata)

    def all(self, key):
        """The events of a key."""
        return [e for e in self.events if e["key"] == key]

    def one(self, key, nth=0):
        """The nth event of a key."""
        return self.all(key)[nth]

    def at(self, event):
        """Where an event is."""
        return next(i for i, e in enumerate(self.events) if e is event)

    def line(self, event):
        """The line that an event is written to."""
        return self.at(event) + 1

    def line_of(self, key, nth=0):
        """The line of the nth event of a key."""
        return self.line(self.one(key, nth))

    def put(self, key, value):
        """Give all events of a key another value."""
        for event in self.all(key):
            event["value"] = value

    def drop(self, *keys, epoch=None):
        """Leave out the events of keys, of one epoch or all."""
        self.events = [
            e for e in self.events if e["key"] not in keys or (epoch and e["metadata"].get("epoch_num") != epoch)
        ]

    def insert(self, before, event):
        """Insert an event before another; its line."""
        self.events.insert(self.at(before), event)
        return self.line(event)

    def move(self, event, before):
        """Move an event before another, to its time; its line."""
        del self.events[self.at(event)]
        event["time_ms"] = before["time_ms"]
        return self.insert(before, event)

    def shift(self, by, since=None):
        """Move all events by so many milliseconds, or an event and all behind it."""
        for event in self.events[0 if since is None else self.at(since) :]:
            event["time_ms"] += round(by)

    def settings(self, **fields):
        """Change hyperparameters (`...` takes one away), and their digest with them."""
        event = self.one("hyperparameters")
        values = {**event["value"], **fields}
        event["value"] = {name: value for name, value in values.items() if value is not ...}
        self.put("config_digest", config_digest(event["value"]))

    @property
    def scores(self):
        """The events of scores, of whatever metric."""
        return [e for e in self.events if e["key"] in ("eval_accuracy", "eval_error")]

    @property
    def epochs(self):
        """How many epochs were begun."""
        return len(self.all("epoch_start"))

    def text(self):
        return log_text(self.events)

    def write(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text())
        return path


def log_text(events) -> str:
    """A log as it is written."""
    return "".join(f":::MLLOG {json.dumps(e)}\n" for e in events)


NAMES = ("intersection", "predicted", "true")


def scored(event: dict) -> None:
    """Give an evaluation the score that follows from what is logged beside it."""
    facts = event["metadata"]
    if "sums" in facts:
        event["value"] = mean(facts["sums"], facts["samples_count"])
    else:
        event["value"] = dice(Counts(*(tuple(facts[n]) for n in NAMES)))


def evaluation(rng: random.Random, quality: float) -> dict:
    """Counts of an evaluation that predicts about `quality` of each class right."""
    spread = 0.004 + 0.1 * (1 - quality)  # trainings differ less the better they are
    hits = [int(t * min(1, quality + rng.uniform(-spread, spread))) for t in TRUE]
    missed = [t - h for t, h in zip(TRUE, hits, strict=True)]
    predicted = [h + missed[(i + 1) % len(TRUE)] for i, h in enumerate(hits)]
    return {"intersection": hits, "predicted": predicted, "true": list(TRUE)}


def good(index: int = 0, qualities=(0.5, 0.7, 0.8, 0.9, 0.995)) -> Log:
    """Run `index` of a set: everything in order. `qualities` is what each epoch's evaluation gets about right."""
    rng = random.Random(1000 + index)
    log = Log(time_ms=START + 3_600_000 * index)
    log.add("cache_clear", True)
    log.add("submission_benchmark", "scaffold")
    log.add("submission_org", "acme")
    log.add("submission_division", "closed")
    log.add("submission_status", "onprem")
    log.add("submission_platform", "box")
    log.start("init_start")
    log.add("seed", (1 << 62) + rng.getrandbits(61), source="os.urandom")
    log.add("problem", "tiny")
    log.add("problem_digest", TINY["problem_digest"])
    log.add("rules_edition", "v1.0")
    log.add("target", 0.95)
    log.add("number_of_nodes", 1)
    log.add("number_of_ranks", 2)
    log.add("accelerators_per_node", 0)
    log.add("devices", [{"host": "n1", "kind": "cpu", "name": "A processor", "ranks": 2, "uuids": []}])
    log.add("layout", {"data": 2, "depth": 1, "height": 1, "width": 1})
    log.add("train_samples", 8)
    log.add("eval_samples", 4)
    log.add("global_batch_size", 4)
    log.add("precision", "float32")
    log.add("parameter_count", 1234)
    log.add("opt_name", "adam")
    log.add("opt_base_learning_rate", 0.001)
    log.add("opt_end_learning_rate", 0.0001)
    log.add("opt_adam_beta_1", 0.9)
    log.add("opt_adam_beta_2", 0.999)
    log.add("opt_adam_epsilon", 1e-8)
    log.add("opt_weight_decay", 0.0)
    log.add("opt_gradient_clip_norm", 1.0)
    log.add("opt_learning_rate_decay_schedule", "cosine_decay")
    log.add("hyperparameters", dict(SETTINGS))
    log.add("config_digest", config_digest(SETTINGS))
    files = digests(SOURCE)
    log.add("source", combine(files.items()), files=files, config=f"{CODE}/configs/tiny.yaml")
    log.add("versions", {"python": "3.11.9", "torch": "2.13.0"})
    log.stop("init_stop", after=4000)
    log.start("run_start")
    log.start("staging_start")
    log.stop("staging_stop", after=300)
    for epoch, quality in enumerate(qualities, 1):
        _epoch(log, rng, epoch, quality)
    passed = log.all("eval_accuracy")[-1]["value"] >= 0.95
    log.stop("run_stop", status="success" if passed else "aborted", epoch_num=len(qualities))
    return log


def throughput(log: Log, batch: int, steps: int, seconds: float, figures: dict, flops: int) -> Log:
    """The log, as one that measures throughput alone: three blocks of so many steps, each of a batch and of so many
    seconds; `figures` are what is said of each block."""
    start, first = log.one("run_start"), log.one("init_start")
    log.insert(first, event_like(first, "throughput_only", True))
    log.events, log.time_ms = log.events[: log.line(start)], start["time_ms"]
    setup = {"steps": 3 * steps, "warm_up_steps": 3, "block_steps": steps, "flops_per_sample": flops}
    log.add("throughput_setup", setup)
    for block in range(1, 4):
        took = round(1000 * steps * seconds) + 1
        log.add("tracked_stats", figures, after=took, block=block, steps=steps, samples_count=steps * batch)
    log.add("throughput", figures, steps=3 * steps, samples_count=3 * steps * batch)
    log.stop("run_stop", status="success", epoch_num=0)
    return log


def steps_alone(index: int, ranks: int) -> Log:
    """Run `index` of so many ranks, which measures throughput alone."""
    log, seconds = good(index), 0.5 / ranks
    log.one("number_of_ranks")["value"] = log.one("devices")["value"][0]["ranks"] = ranks
    log.one("layout")["value"]["data"] = ranks
    return throughput(log, 4, 4, seconds, rate(seconds), 10**9)


def rate(seconds: float) -> dict:
    """The figures of a block whose steps of four samples took so many seconds."""
    phases = {"wait": 0.1 * seconds, "forward": 0.3 * seconds, "backward": 0.6 * seconds}
    return {"throughput": 4 / seconds, "step_seconds": seconds, "seconds": phases}


def mean_run(index: int = 0) -> Log:
    """Run `index` of the benchmark whose score is a mean error over samples and two outputs."""
    log = good(index)
    log.one("submission_benchmark")["value"] = "probe"
    log.one("problem")["value"] = "mean"
    log.one("target")["value"] = MEAN["target"]
    rng = random.Random(2000 + index)
    for event in log.all("eval_accuracy"):
        first, second = 4 * (1 - event["value"]), rng.uniform(0.8, 1.2)
        event["key"], event["value"] = "eval_error", (first + second) / 8
        for name in NAMES:
            del event["metadata"][name]
        event["metadata"]["sums"] = [first, second]
    return log


def sampled_run(index: int = 0) -> Log:
    """Run `index` of the benchmark whose score is a mean of Dice over four samples, which are alike, and classes."""
    log = good(index)
    log.one("submission_benchmark")["value"] = log.one("problem")["value"] = "sampled"
    for event in log.all("eval_accuracy"):
        lists = [event["metadata"].pop(name)[1:] for name in NAMES]
        recount(event, [[[n // 4 for n in counts] for counts in zip(*lists, strict=True)] for _ in range(4)])
    return log


def recount(event: dict, rows: list) -> None:
    """Give an evaluation of `sampled` the counts of its samples, and what follows from them."""
    event["metadata"] |= {"sums": dice_sums(rows), "counts": rows}
    scored(event)


def prove(log: Log, split: str, samples: int) -> None:
    """The fingerprint of a split, which two ranks read."""
    read = READ[split]
    sizes = {"total": read, "least_by_rank": read // 2, "most_by_rank": read // 2}
    facts = {"samples_count": samples, "class_counts": list(TINY["class_counts"][split]), "bytes_read": sizes}
    log.add("dataset_fingerprint", TINY["fingerprints"][split], split=split, **facts)


def _epoch(log: Log, rng: random.Random, epoch: int, quality: float) -> None:
    seconds = rng.uniform(7.0, 9.0)
    log.start("epoch_start", epoch_num=epoch)
    stats = {
        "throughput": 8 / seconds,
        "loss": round(1 - quality, 6),
        "wait_seconds": 0.1,
        "compute_seconds": seconds - 0.1,
    }
    log.add("tracked_stats", stats, after=round(seconds * 1000), epoch_num=epoch)
    log.stop("epoch_stop", epoch_num=epoch, samples_count=8)
    if epoch == 1:
        prove(log, "train", 8)
    counts = evaluation(rng, quality)
    log.start("eval_start", epoch_num=epoch)
    log.stop("eval_stop", after=1500, epoch_num=epoch, samples_count=4)
    if epoch == 1:
        prove(log, "validation", 4)
    log.add("eval_accuracy", None, epoch_num=epoch, samples_count=4, **counts)
    scored(log.events[-1])


def event_like(event, key, value=None, event_type="POINT_IN_TIME", **metadata):
    """Another event at the same time."""
    return logged(event["time_ms"], key, value, event_type, **metadata)


def interrupt(log, epoch=3, aborted=True):
    """The run is interrupted in this epoch and goes on; the event that says so."""
    start = next(e for e in log.all("epoch_start") if e["metadata"]["epoch_num"] == epoch)
    at = log.events.index(start)
    head = {e["key"]: e["value"] for e in log.events if e["event_type"] == "POINT_IN_TIME" and e["value"] is not None}
    stop = event_like(start, "run_stop", None, "INTERVAL_END", status="aborted", reason="SIGTERM")
    resumed = event_like(start, "resumed", head, epoch_num=epoch - 1, lost_seconds=600.0)
    for event in (resumed, *log.events[at:]):
        event["time_ms"] += PAUSE
    begun = {**copy.deepcopy(start), "time_ms": start["time_ms"] - PAUSE}
    log.events[at:at] = [begun, *([stop] if aborted else []), resumed]
    return resumed


SYSTEM = {
    "submitter": "acme",
    "division": "closed",
    "status": "onprem",
    "system_name": "box",
    "number_of_nodes": "1",
    "host_processors_per_node": "1",
    "host_processor_model_name": "A processor",
    "host_processor_core_count": "2",
    "host_processor_vcpu_count": "2",
    "host_memory_capacity": "24 GiB",
    "host_storage_type": "ext4",
    "host_storage_capacity": "100 GiB",
    "host_networking": "",
    "host_networking_topology": "",
    "accelerators_per_node": "0",
    "accelerator_model_name": "",
    "accelerator_memory_capacity": "",
    "accelerator_interconnect": "",
    "framework": "PyTorch 2.13.0",
    "other_software_stack": {"python": "3.11.9"},
    "operating_system": "An operating system",
    "sw_notes": "",
    "hw_notes": "",
}


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


MOMENTS = ("run_start", "staging_start", "staging_stop", "epoch_start", "epoch_stop", "eval_start", "eval_stop")


def with_energy(log: Log, watts: float = 200.0) -> Log:
    """The log with readings of a node's two processors, each of which draws so many watts. Its events stay where they
    are in time; readings come behind theirs."""
    source = {"node": "n1", "source": "rapl", "scope": "package", "wraps_at": 262143.3, "limit_watts": 500.0}
    start = log.one("run_start")["time_ms"]

    def reading_at(of: dict) -> dict:
        joules = watts * (of["time_ms"] - start) / 1000
        epoch = {"epoch_num": of["metadata"]["epoch_num"]} if of["key"].startswith(("ep", "ev")) else {}
        value = {"time_ms": [of["time_ms"]] * 2, "joules": [joules] * 2}
        return logged(of["time_ms"], "energy_reading", value, moment=of["key"], gap_seconds=10.0, **epoch)

    found = []
    for one in log.events:
        found.append(one)
        if one["key"] == "devices":
            named = [{**source, "device": f"package-{i}"} for i in range(2)]
            found.append(logged(one["time_ms"], "energy_sources", named, unreadable={}, rehearsal=False))
        if one["key"] in (*MOMENTS, "run_stop"):
            found.append(reading_at(one))
    log.events = found
    return log


def reading(time_ms: int, watts: float = 400.0, key: str = "power_reading") -> dict:
    """An instrument's event."""
    return logged(time_ms, key, watts)


def event(line: int, key: str, time_ms=START, value=None, **metadata) -> Event:
    """An event as the reader gives it."""
    return Event(line, time_ms, "POINT_IN_TIME", key, value, metadata)


def read(*events: Event) -> reading_log.Log:
    """What is read of a log of these events."""
    log = reading_log.Log("result_0.txt")
    for one in events:
        log.events.setdefault(one.key, []).append(one)
    return log
