"""MLPerf HPC's rounds: good logs pass, the quirks that rounds tolerated are warnings, damage is an error."""

import json
import random
from pathlib import Path

import pytest

from compliance.engine import judge
from rules.edition import load
from tests.compliance.logs import Log

START = {"v0.7": 1_596_000_000_000, "v1.0": 1_632_000_000_000, "v2.0": 1_662_000_000_000, "v3.0": 1_692_000_000_000}
COSMOFLOW = {
    "global_batch_size": 16,  # smaller than those of all reference points, so that six epochs are none too few
    "opt_name": "SGD",
    "opt_base_learning_rate": 0.008,
    "opt_learning_rate_warmup_epochs": 4,
    "opt_learning_rate_warmup_factor": 1.0,
    "opt_learning_rate_decay_boundary_epochs": [32, 64],
    "opt_learning_rate_decay_factor": [0.25, 0.125],
    "dropout": 0.5,
    "opt_weight_decay": 0.0,
}
DEEPCAM = {
    "gradient_accumulation_frequency": 1,
    "global_batch_size": 64,
    "batchnorm_group_size": 1,
    "opt_name": "LAMB",
    "opt_lr": 0.0025,
    "opt_betas": [0.9, 0.999],
    "opt_eps": 1e-06,
    "opt_bias_correction": True,
    "opt_grad_averaging": True,
    "opt_max_grad_norm": 1.0,
    "scheduler_type": "multistep",
    "scheduler_milestones": [4096, 8192],
    "scheduler_decay_rate": 0.2,
    "scheduler_lr_warmup_steps": 100,
    "scheduler_lr_warmup_factor": 1.0,
}
OC20 = {
    "global_batch_size": 128,
    "opt_name": "AdamW",
    "opt_base_learning_rate": 0.0012,
    "opt_learning_rate_warmup_steps": 7816,
    "opt_learning_rate_warmup_factor": 0.2,
    "opt_learning_rate_decay_boundary_steps": [31264, 46896],
    "opt_learning_rate_decay_factor": 0.1,
}
BEGINS = "INTERVAL_START"
NAN = float("nan")
SETTINGS = {"cosmoflow": COSMOFLOW, "deepcam": DEEPCAM, "oc20": OC20}
SAMPLES = {"cosmoflow": (524288, 65536), "deepcam": (121266, 15158), "oc20": (2000000, 999866)}


def openfold():
    """The settings that the closed division fixes, as the edition says, and some of the free ones."""
    keys = load("mlperf-hpc-v3.0").benchmarks["openfold"].keys
    fixed = {k: v.get("equals", v.get("choices", [None])[0]) for k, v in keys.items()}
    return {k: v if v is not None else 1 for k, v in fixed.items() if k not in ("train_samples", "eval_samples")}


def log(benchmark, version, index=0):
    """The events of a good run."""
    rng = random.Random(f"{benchmark}{version}{index}")
    log = Log(time_ms=START[version] + index * 7_200_000)
    train, validation = SAMPLES.get(benchmark, (594595, 180))
    log.add("cache_clear")
    log.start("init_start")
    head = {"benchmark": benchmark, "org": "acme", "division": "closed", "status": "onprem", "platform": "4xbox"}
    facts = {f"submission_{name}": value for name, value in head.items()}
    facts |= {"seed": 1_000_000 + 7919 * index, "number_of_nodes": 4, "accelerators_per_node": 4}
    facts |= {"train_samples": train, "eval_samples": validation, **(SETTINGS.get(benchmark) or openfold())}
    for name, value in facts.items():
        log.add(name, value)
    log.stop("init_stop", 60_000)
    log.start("run_start")
    log.start("staging_start", 2)
    log.stop("staging_stop", 30_000)
    limits = load(f"mlperf-hpc-{version}").benchmarks[benchmark]
    for epoch in range(1, 7):
        log.start("epoch_start", epoch_num=epoch)
        log.start("eval_start", 100_000, epoch_num=epoch)
        log.stop("eval_stop", 9_000, epoch_num=epoch)
        off = (6 - epoch) * 0.1 * (1 + rng.random()) - (epoch == 6) * 0.001 * rng.random()
        score = limits.target * (1 + off) if limits.lower else limits.target * (1 - off)
        log.add(limits.metric, score, epoch_num=epoch)
        log.stop("epoch_stop", epoch_num=epoch)
    log.stop("run_stop", status="success")
    return log.events


def round_(root, version, benchmark, change=lambda index, events: events, scaling="strong", runs=None):
    """A round of one submission with one set; `change` damages each log."""
    org = root / f"hpc_results_{version}" / "acme"
    folder = org / "results" / "box" / (Path(scaling) / benchmark if version != "v0.7" else benchmark)
    law = load(f"mlperf-hpc-{version}")
    for index in range(runs or law.benchmarks[benchmark].runs):
        Log(change(index, log(benchmark, version, index))).write(folder / f"result_{index}.txt")
    fields = dict.fromkeys(law.limits.system_fields, "")
    fields |= {"submitter": "acme", "division": "closed", "number_of_nodes": "4", "accelerators_per_node": "4"}
    (org / "systems").mkdir()
    (org / "systems" / "box.json").write_text(json.dumps(fields))
    return org.parent


def findings(path):
    """{severity and code} of what is found, and the verdict."""
    verdict = judge([path])
    assert verdict.exit_code == any(f.severity == "error" for f in verdict.findings)
    return {f"{f.severity} {f.code}" for f in verdict.findings}, verdict


@pytest.mark.parametrize(("version", "benchmark"), [(v, b) for v in START for b in load(f"mlperf-hpc-{v}").benchmarks])
def test_good_round(tmp_path, version, benchmark):
    found, verdict = findings(round_(tmp_path, version, benchmark))
    assert (found, verdict.editions) == (set(), (f"mlperf-hpc-{version}",))


def each(key, **fields):
    """The change of all events of a key."""
    return lambda index, events: [{**e, **fields} if e["key"] == key else e for e in events]


def another(at, **fields):
    """The change that adds an event with other fields than the one at this place, before it."""
    return lambda index, events: [*events[:at], {**events[at], **fields}, *events[at:]]


def without(key, epoch=None, runs=range(10)):
    """The change that leaves out a key's events of an epoch, or those of none."""

    def change(index, events):
        return [e for e in events if index not in runs or e["key"] != key or e["metadata"].get("epoch_num") != epoch]

    return change


def repeated(key, apart):
    """The change to an event that comes from four ranks."""

    def change(index, events):
        at = first(events, key)
        copies = [{**events[at], "time_ms": events[at]["time_ms"] + apart * n} for n in range(4)]
        return [*events[:at], *copies, *events[at + 1 :]]

    return change


def first(events, key):
    """Where the first event of a key is."""
    return next(i for i, e in enumerate(events) if e["key"] == key)


def cut(runs):
    """The change that lets the first logs break off before run_stop."""
    return lambda index, events: events[:-8] if index < runs else events


def staged_first(index, events):
    """Staging moved before run_start."""
    at = first(events, "run_start")
    time, (start, begin, end) = events[at]["time_ms"], events[at : at + 3]
    moved = [{**begin, "time_ms": time - 1}, {**end, "time_ms": time}, start]
    return [*events[:at], *moved, *events[at + 3 :]]


def late(index, events):
    events[12]["time_ms"] += 9_000
    return events


def not_a_number(index, events):
    return [{**e, "value": NAN} if e["metadata"].get("epoch_num") == 2 else e for e in events]


def another_instance(index, events):
    start = events[first(events, "eval_start")]
    return [*events, {**start, "time_ms": events[-1]["time_ms"] + 5, "metadata": {"epoch_num": 6, "instance": 2}}]


def evaluated_twice(index, events):
    doubled = [[e, {**e, "value": e["value"] - 0.01}] if e["key"] == "eval_accuracy" else [e] for e in events]
    return [e for pair in doubled for e in reversed(pair)]


CHANGES = {  # what is changed in each log -> (round, benchmark, change, what is found)
    "cache_clear is null and starts": ("v2.0", "cosmoflow", each("cache_clear", event_type=BEGINS), "warning LOG07"),
    "eval_stop starts": ("v2.0", "cosmoflow", each("eval_stop", event_type=BEGINS), "warning LOG07"),
    "organisation by its name": ("v2.0", "cosmoflow", each("submission_org", value="Acme Corp."), "warning RUN11"),
    "no status where the target was met": ("v2.0", "cosmoflow", each("run_stop", metadata={}), "warning EVL08"),
    "seed as text": ("v2.0", "cosmoflow", lambda i, e: each("seed", value=str((1 << 60) + i))(i, e), "warning SEED02"),
    "no seed": ("v2.0", "cosmoflow", without("seed"), "warning SEED01"),
    "dropout differs between ranks": ("v2.0", "cosmoflow", another(12, key="dropout", value=0.1), "warning LOG05"),
    "a score that is NaN for a while": ("v2.0", "cosmoflow", not_a_number, "warning EVL04, warning LOG08"),
    "NaN in the statistics": (
        "v2.0",
        "cosmoflow",
        another(-2, key="tracked_stats", value={"loss": NAN}),
        "warning LOG07, warning LOG08",
    ),
    "ranks a few seconds apart": ("v2.0", "cosmoflow", late, "warning CLK04"),
    "another instance after run_stop": ("v2.0", "cosmoflow", another_instance, "warning CLK08, warning CLK10"),
    "run_start of all ranks": ("v2.0", "cosmoflow", repeated("run_start", 1), ""),
    "dropout of all ranks": ("v2.0", "cosmoflow", repeated("dropout", 0), ""),
    "run_stop of all ranks": ("v2.0", "cosmoflow", repeated("run_stop", 1000), ""),
    "scores of all ranks": ("v2.0", "cosmoflow", repeated("eval_error", 3), ""),
    "several evaluations of an epoch": ("v0.7", "deepcam", evaluated_twice, ""),
    "another optimizer": ("v2.0", "deepcam", each("opt_name", value="SGD"), "error HYP01"),
    "fewer samples": ("v2.0", "deepcam", each("train_samples", value=60000), "error HYP01"),
    "no global batch size": ("v2.0", "oc20", without("global_batch_size"), "error LOG04"),
    "targets missed": ("v2.0", "deepcam", without("eval_accuracy", epoch=6), "error RUN03, info EVL07, warning EVL08"),
    "one target missed": ("v2.0", "cosmoflow", without("eval_error", 6, [0]), "info EVL07, warning EVL08"),
    "seeds equal": ("v2.0", "deepcam", each("seed", value=77), "error SEED05"),
    "staging before run_start": ("v2.0", "cosmoflow", staged_first, "error CLK11"),
    "staging outside the clock since v3.0": ("v3.0", "cosmoflow", staged_first, ""),
    "Closed": ("v2.0", "cosmoflow", each("submission_division", value="Closed"), "error LOG09"),
    "true for a score": ("v2.0", "cosmoflow", each("eval_error", value=True), "error EVL04"),
    "a log of v0.7 that breaks off": ("v0.7", "deepcam", cut(1), "info CLK01"),
    "too many of them": ("v0.7", "deepcam", cut(2), "error RUN03, info CLK01"),
    "a later log that breaks off": ("v2.0", "deepcam", cut(1), "error CLK01"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_rounds_tolerated_and_what_they_did_not(tmp_path, name):
    version, benchmark, change, wanted = CHANGES[name]
    assert ", ".join(sorted(findings(round_(tmp_path, version, benchmark, change))[0])) == wanted


@pytest.mark.parametrize(("beyond", "wanted"), [(0, set()), (1, {"error CLK01"})])
def test_run_starts_a_minute_apart_are_not_those_of_ranks(tmp_path, beyond, wanted):
    """A second one right behind the first; all that follows is later still."""
    apart = int(load("mlperf-hpc-v2.0").limits.rank_spread * 1000) + beyond

    def change(index, events):
        at = first(events, "run_start")
        return [*events[: at + 1], *({**e, "time_ms": e["time_ms"] + apart} for e in events[at:])]

    found, _ = findings(round_(tmp_path, "v2.0", "cosmoflow", change))
    assert {f for f in found if "CLK01" in f} == wanted


def test_prefixes_of_ranks_and_links_in_the_source_are_warnings(tmp_path):
    path = round_(tmp_path, "v1.0", "deepcam")
    for file in path.rglob("result_*.txt"):
        file.write_text("".join(f"0: {line}\n" for line in file.read_text().splitlines()))
    folder = path / "acme" / "benchmarks" / "deepcam" / "implementations"
    folder.mkdir(parents=True)
    (folder / "box").symlink_to("other")
    assert findings(path)[0] == {"warning LOG08", "warning TREE05"}


def test_numbers_from_one_padded_and_with_holes(tmp_path):
    path = round_(tmp_path, "v2.0", "cosmoflow")
    files = sorted(path.rglob("result_*.txt"))
    for number, file in enumerate(files, 1):
        last = file.rename(file.with_name(f"result_{number:03d}.txt"))
    assert findings(path)[0] == set()
    last.rename(last.with_name("result_099.txt"))
    assert findings(path)[0] == {"warning RUN02"}


def test_division_is_the_descriptions(tmp_path):
    path = round_(tmp_path, "v0.7", "deepcam", each("opt_name", value="MINE"))
    assert "error HYP01" in findings(path)[0]
    description = path / "acme" / "systems" / "box.json"
    description.write_text(json.dumps({**json.loads(description.read_text()), "division": "open"}))
    assert findings(path)[0] == {"review RUN13"}


def test_whole_systems_nodes_in_every_instance_are_for_review(tmp_path):
    assert findings(round_(tmp_path, "v2.0", "oc20", scaling="weak", runs=6))[0] == {"review THR02"}


@pytest.mark.parametrize("version", START)
def test_edition_is_told_by_the_year_where_no_folder_says(tmp_path, version):
    """A copy of a round under any name; and a set of it alone."""
    path = round_(tmp_path, version, "deepcam").rename(tmp_path / "copied")
    assert findings(path)[1].editions == (f"mlperf-hpc-{version}",)
    (log,) = path.rglob("result_0.txt")
    assert findings(log.parent.rename(tmp_path / "runs"))[1].editions == (f"mlperf-hpc-{version}",)


@pytest.mark.parametrize(
    ("folder", "rules", "missed"), [("v1.0", None, 1), ("v1.0", "v1.0", 0), ("hpc_results_v1.0", None, 0)]
)
def test_our_edition_is_not_for_mlperf_hpc_in_its_folder(tmp_path, folder, rules, missed):
    home = round_(tmp_path, "v1.0", "cosmoflow")
    home = home.rename(home.with_name(folder))
    verdict = judge([home], rules)
    assert len(verdict.missed) == missed and verdict.looked == (0 if missed else 10)
    if missed:
        assert (verdict.exit_code, verdict.findings) == (2, ())
        ((path, why),) = verdict.missed
        assert path == str(home / "acme") and "--rules mlperf-hpc-v1.0" in why


def test_old_logs_that_name_our_edition_are_judged_by_it(tmp_path):
    def named(index, events):
        return [events[0], {**events[0], "key": "rules_edition", "value": "v1.0"}, *events[1:]]

    home = round_(tmp_path, "v1.0", "cosmoflow", named)
    verdict = judge([home.rename(home.with_name("v1.0"))])
    assert verdict.missed == () and "CLK05" in {f.code for f in verdict.findings}
