"""MLPerf HPC's rounds: good logs pass, the quirks that rounds tolerated are warnings, damage is an error."""

import json
import random
from pathlib import Path

import pytest

from compliance.engine import judge
from rules.edition import load
from tests.compliance.logs import Log, log_text

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
SETTINGS = {"cosmoflow": COSMOFLOW, "deepcam": DEEPCAM, "oc20": OC20}
SAMPLES = {"cosmoflow": (524288, 65536), "deepcam": (121266, 15158), "oc20": (2000000, 999866)}


def openfold():
    """The settings that the closed division fixes, as the edition says, and some of the free ones."""
    keys = load("mlperf-hpc-v3.0").benchmarks["openfold"].keys
    fixed = {k: v.get("equals", v.get("choices", [None])[0]) for k, v in keys.items()}
    return {k: v if v is not None else 1 for k, v in fixed.items() if k not in ("train_samples", "eval_samples")}


def log(benchmark, version, index=0, nodes=4):
    """The events of a good run."""
    rng = random.Random(f"{benchmark}{version}{index}")
    log = Log(time_ms=START[version] + index * 7_200_000)
    train, validation = SAMPLES.get(benchmark, (594595, 180))
    log.add("cache_clear")
    log.start("init_start")
    head = {"benchmark": benchmark, "org": "acme", "division": "closed", "status": "onprem", "platform": "4xbox"}
    facts = {f"submission_{name}": value for name, value in head.items()}
    facts |= {"seed": 1_000_000 + 7919 * index, "number_of_nodes": nodes, "accelerators_per_node": 4}
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


def write(path: Path, events):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(log_text(events))


def round_(root, version, benchmark, change=lambda index, events: events, scaling="strong", nodes=4, runs=None):
    """A round of one submission with one set; `change` damages each log."""
    org = root / f"hpc_results_{version}" / "acme"
    folder = org / "results" / "box" / (Path(scaling) / benchmark if version != "v0.7" else benchmark)
    law = load(f"mlperf-hpc-{version}")
    for index in range(runs or law.benchmarks[benchmark].runs):
        write(folder / f"result_{index}.txt", change(index, log(benchmark, version, index, nodes)))
    fields = dict.fromkeys(law.limits.system_fields, "")
    fields |= {"submitter": "acme", "division": "closed", "number_of_nodes": "4", "accelerators_per_node": "4"}
    (org / "systems").mkdir()
    (org / "systems" / "box.json").write_text(json.dumps(fields))
    return org.parent


def codes(path, **options):
    verdict = judge([path], **options)
    return {(f.severity, f.code) for f in verdict.findings}, verdict


ROUNDS = [(v, b) for v in START for b in load(f"mlperf-hpc-{v}").benchmarks]


@pytest.mark.parametrize("version,benchmark", ROUNDS)
def test_good_round(tmp_path, version, benchmark):
    found, verdict = codes(round_(tmp_path, version, benchmark))
    assert verdict.editions == (f"mlperf-hpc-{version}",)
    assert found == set()
    assert verdict.exit_code == 0


def each(events, key, **fields):
    for event in events:
        if event["key"] == key:
            event.update(fields)
    return events


def repeated(events, key, times=4, apart=1000):
    """An event from many ranks."""
    at = next(i for i, e in enumerate(events) if e["key"] == key)
    copies = [{**events[at], "time_ms": events[at]["time_ms"] + apart * n} for n in range(times)]
    return [*events[:at], *copies, *events[at + 1 :]]


def staged_first(events):
    """Staging moved before run_start."""
    at = next(i for i, e in enumerate(events) if e["key"] == "run_start")
    time = events[at]["time_ms"]
    start, first, second = events[at : at + 3]
    moved = [{**first, "time_ms": time - 2}, {**second, "time_ms": time - 1}, start]
    return [*events[:at], *moved, *events[at + 3 :]]


START_TYPE = "INTERVAL_START"
QUIRKS = {
    "cache_clear is null and starts": (lambda i, e: each(e, "cache_clear", event_type="INTERVAL_START"), "LOG07"),
    "eval_stop starts": (lambda i, e: each(e, "eval_stop", event_type="INTERVAL_START"), "LOG07"),
    "organisation spelled differently": (lambda i, e: each(e, "submission_org", value="Umbrella Corp."), "RUN11"),
    "no status where the target was met": (lambda i, e: each(e, "run_stop", metadata={}), "EVL08"),
    "seed as text": (lambda i, e: each(e, "seed", value=str((1 << 60) + i)), "SEED02"),
    "no seed": (lambda i, e: [x for x in e if x["key"] != "seed"], "SEED01"),
    "dropout differs between ranks": (
        lambda i, e: [*e[:12], {**e[12], "key": "dropout", "value": 0.1}, *e[12:]],
        "LOG05",
    ),
    "a score that is NaN for a while": (
        lambda i, e: [{**x, "value": float("nan")} if x["metadata"].get("epoch_num") == 2 else x for x in e],
        "EVL04",
    ),
    "NaN in the statistics": (
        lambda i, e: [*e[:-2], {**e[-2], "key": "tracked_stats", "value": {"loss": float("nan")}}, *e[-2:]],
        "LOG08",
    ),
}


@pytest.mark.parametrize("name", QUIRKS)
def test_quirk_is_a_warning(tmp_path, name):
    change, code = QUIRKS[name]
    found, verdict = codes(round_(tmp_path, "v2.0", "cosmoflow", change))
    assert ("warning", code) in found
    assert {severity for severity, _ in found} == {"warning"}, found
    assert verdict.exit_code == 0


@pytest.mark.parametrize(("key", "apart"), [("run_start", 1), ("dropout", 0), ("run_stop", 1000), ("eval_error", 3)])
def test_what_all_ranks_log_is_read_once(tmp_path, key, apart):
    found, verdict = codes(round_(tmp_path, "v2.0", "cosmoflow", lambda i, e: repeated(e, key, apart=apart)))
    assert (found, verdict.exit_code) == (set(), 0)


def test_run_starts_a_minute_apart_are_not_those_of_ranks(tmp_path):
    spread = load("mlperf-hpc-v2.0").limits.rank_spread * 1000
    for beyond, wanted in ((0, set()), (1, {("error", "CLK01")})):
        path = round_(tmp_path / str(beyond), "v2.0", "cosmoflow", apart_by(int(spread) + beyond))
        assert {f for f in codes(path)[0] if f[1] == "CLK01"} == wanted


def apart_by(milliseconds):
    """A second run_start, so much later, right behind the first; all that follows is later still."""

    def change(index, events):
        at = next(i for i, e in enumerate(events) if e["key"] == "run_start")
        later = [{**e, "time_ms": e["time_ms"] + milliseconds} for e in events[at:]]
        return [*events[: at + 1], *later]

    return change


def test_prefixes_of_ranks_are_a_warning(tmp_path):
    path = round_(tmp_path, "v1.0", "deepcam")
    for file in path.rglob("result_*.txt"):
        file.write_text("".join(f"0: {line}\n" for line in file.read_text().splitlines()))
    assert codes(path)[0] == {("warning", "LOG08")}


def test_links_in_the_source_are_a_warning(tmp_path):
    path = round_(tmp_path, "v1.0", "deepcam")
    folder = path / "acme" / "benchmarks" / "deepcam" / "implementations"
    folder.mkdir(parents=True)
    (folder / "box").symlink_to("other")
    assert codes(path)[0] == {("warning", "TREE05")}


def test_numbers_from_one_padded_and_with_holes(tmp_path):
    path = round_(tmp_path, "v2.0", "cosmoflow")
    files = sorted(path.rglob("result_*.txt"))
    for number, file in enumerate(files, 1):
        file.rename(file.with_name(f"result_{number:03d}.txt"))
    assert codes(path)[0] == set()
    files = sorted(path.rglob("result_*.txt"))
    files[-1].rename(files[-1].with_name("result_099.txt"))
    assert codes(path)[0] == {("warning", "RUN02")}


def test_ranks_a_few_seconds_apart_are_a_warning(tmp_path):
    def late(index, events):
        events[12]["time_ms"] += 9_000
        return events

    assert codes(round_(tmp_path, "v2.0", "cosmoflow", late))[0] == {("warning", "CLK04")}


def test_evaluations_of_other_instances_after_run_stop_are_a_warning(tmp_path):
    def other(index, events):
        start = next(e for e in events if e["key"] == "eval_start")
        return [*events, {**start, "time_ms": events[-1]["time_ms"] + 5, "metadata": {"epoch_num": 6, "instance": 2}}]

    found, verdict = codes(round_(tmp_path, "v2.0", "cosmoflow", other))
    assert ("warning", "CLK08") in found
    assert verdict.exit_code == 0


ERRORS = {
    "another optimizer": ("deepcam", lambda i, e: each(e, "opt_name", value="SGD"), "HYP01"),
    "fewer samples": ("deepcam", lambda i, e: each(e, "train_samples", value=60000), "HYP01"),
    "no global batch size": ("oc20", lambda i, e: [x for x in e if x["key"] != "global_batch_size"], "LOG04"),
    "two run_start": (
        "oc20",
        lambda i, e: [*e[:-1], {**e[-1], "key": "run_start", "event_type": START_TYPE}, e[-1]],
        "CLK01",
    ),
    "targets missed": (
        "deepcam",
        lambda i, e: [x for x in e if x["key"] != "eval_accuracy" or x["metadata"]["epoch_num"] < 6],
        "RUN03",
    ),
    "seeds equal": ("deepcam", lambda i, e: each(e, "seed", value=77), "SEED05"),
    "staging before run_start": ("cosmoflow", lambda i, e: staged_first(e), "CLK11"),
    "Closed": ("cosmoflow", lambda i, e: each(e, "submission_division", value="Closed"), "LOG09"),
    "true for a score": ("cosmoflow", lambda i, e: each(e, "eval_error", value=True), "EVL04"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_damage_is_an_error(tmp_path, name):
    benchmark, change, code = ERRORS[name]
    found, verdict = codes(round_(tmp_path, "v2.0", benchmark, change))
    assert ("error", code) in found, found
    assert {c for severity, c in found if severity == "error"} == {code}
    assert verdict.exit_code == 1


def test_one_run_that_missed_the_target_is_forgiven_whatever_it_says(tmp_path):
    def missed(index, events):
        return [e for e in events if index or e["key"] != "eval_error" or e["metadata"]["epoch_num"] < 6]

    found, verdict = codes(round_(tmp_path, "v2.0", "cosmoflow", missed))
    assert found == {("info", "EVL07"), ("warning", "EVL08")}
    assert verdict.exit_code == 0


def test_several_evaluations_of_an_epoch_are_fine(tmp_path):
    def twice(index, events):
        doubled = [[e, {**e, "value": e["value"] - 0.01}] if e["key"] == "eval_accuracy" else [e] for e in events]
        return [e for pair in doubled for e in reversed(pair)]

    assert codes(round_(tmp_path, "v0.7", "deepcam", twice))[0] == set()


def test_division_is_the_descriptions(tmp_path):
    path = round_(tmp_path, "v0.7", "deepcam", lambda i, e: each(e, "opt_name", value="MINE"))
    assert ("error", "HYP01") in codes(path)[0]
    description = path / "acme" / "systems" / "box.json"
    description.write_text(json.dumps({**json.loads(description.read_text()), "division": "open"}))
    assert codes(path)[0] == {("review", "RUN13")}


def test_staging_outside_the_clock_since_v3(tmp_path):
    change = ERRORS["staging before run_start"][1]
    assert codes(round_(tmp_path, "v3.0", "cosmoflow", change))[1].exit_code == 0


def test_whole_systems_nodes_in_every_instance_are_for_review(tmp_path):
    found, _ = codes(round_(tmp_path, "v2.0", "oc20", scaling="weak", runs=6))
    assert found == {("review", "THR02")}


@pytest.mark.parametrize("version", START)
def test_edition_is_told_by_the_year_where_no_folder_says(tmp_path, version):
    """A copy of a round under any name; and a set of it alone."""
    path = round_(tmp_path, version, "deepcam").rename(tmp_path / "copied")
    assert codes(path)[1].editions == (f"mlperf-hpc-{version}",)
    (log,) = path.rglob("result_0.txt")
    assert codes(log.parent.rename(tmp_path / "runs"))[1].editions == (f"mlperf-hpc-{version}",)


def cut(index, events):
    """The first log breaks off before run_stop."""
    return events[:-8] if index < 1 else events


def test_a_log_of_v07_that_breaks_off_is_a_run_that_did_not_converge(tmp_path):
    found, verdict = codes(round_(tmp_path, "v0.7", "deepcam", cut))
    assert found == {("info", "CLK01")}
    assert verdict.exit_code == 0


def test_too_many_logs_of_v07_that_break_off_are_an_error(tmp_path):
    found, verdict = codes(round_(tmp_path, "v0.7", "deepcam", lambda i, e: e[:-8] if i < 2 else e))
    assert found == {("info", "CLK01"), ("error", "RUN03")}
    assert verdict.exit_code == 1


def test_a_log_of_later_rounds_that_breaks_off_is_an_error(tmp_path):
    assert codes(round_(tmp_path, "v2.0", "deepcam", cut))[0] == {("error", "CLK01")}


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
