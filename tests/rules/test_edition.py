import hashlib
import pickle
import shutil
from importlib import import_module

import pytest
import yaml

from benchmark.config import machine_settings
from rules.bands import HeldOut, Reevaluation
from rules.current import ROOT, editions
from rules.edition import load, replay_band

EDITIONS = editions()


@pytest.fixture
def edited(tmp_path):
    """Loads an edition of a copy of the rules, after a change of what its limits.yaml says."""

    def edit(name, change):
        root = tmp_path / "rules"
        shutil.copytree(ROOT, root)
        path = root / name / "limits.yaml"
        limits = yaml.load(path.read_text(), yaml.CSafeLoader)
        change(limits)
        path.write_text(yaml.dump(limits, Dumper=yaml.CSafeDumper, sort_keys=False))
        return load(name, root)

    return edit


def test_unknown_edition_names_the_known():
    with pytest.raises(ValueError, match=r"v1\.0"):
        load("v9.9")


@pytest.mark.parametrize("name", EDITIONS)
def test_a_copy_of_the_rules_is_the_same(name, edited):
    copy, own = edited(name, lambda limits: None), load(name)
    for part in ("limits", "benchmarks", "problems", "keys"):
        assert getattr(copy, part) == getattr(own, part)
    assert pickle.loads(pickle.dumps(own)) == own  # it crosses processes by name
    assert list(copy.rules) == list(own.rules) and copy.rules["LOG01"].path.is_relative_to(copy.folder.parent)


def test_a_folder_of_editions_without_texts_has_ours(tmp_path):
    shutil.copytree(ROOT / "v1.0", tmp_path / "v1.0")
    assert load("v1.0", tmp_path).rules == load("v1.0").rules


def test_points_are_of_a_problem_or_of_a_benchmark_without_problems():
    ours, theirs = load("v1.0"), load("mlperf-hpc-v3.0")
    assert sorted(ours.points("scaffold", "smoke")) == [1, 2, 4, 8, 16]
    assert ours.points("cosmoflow", "smoke") == ours.points("scaffold", None) == ours.points("other", None) == {}
    assert theirs.points("cosmoflow", None) == theirs.benchmarks["cosmoflow"].reference_epochs != {}
    assert theirs.points("cosmoflow", "mini") == theirs.points("scaffold", None) == {}


@pytest.mark.parametrize("benchmark", ["scaffold", "cosmoflow", "deepcam"])
def test_settings_are_the_references_but_those_of_its_machine(benchmark):
    config = import_module(f"implementations.pytorch.{benchmark}.task").Config
    edition = load("v1.0")
    settings, machine = edition.benchmarks[benchmark].settings.keys(), machine_settings(config)
    assert settings - {"average_decay"} | set(machine) == config.__dataclass_fields__.keys()  # of logs of before
    assert set(machine) <= set(edition.limits.machine_settings)


def test_a_problem_has_reference_points_and_bands_of_honest_runs(edited):
    more = {"reference_epochs": {2: [8, 9, 9], 4: [12, 13]}, "replay": {1: [0.01, 0.5]}}
    more |= {"reevaluation": {"counts": 0.001, "score": 0.0001}, "held_out": {"mean": 0, "spread": 0.01, "runs": 20}}
    found = edited("v1.0", smoke(**more)).problems["smoke"]
    assert {batch: (p.runs, min(p.epochs)) for batch, p in found.reference_epochs.items()} == {2: (3, 8), 4: (2, 12)}
    assert found.replay == {1: (0.01, 0.5)}
    assert (found.reevaluation, found.held_out) == (Reevaluation(0.001, 0.0001), HeldOut(0, 0.01, 20))


@pytest.mark.parametrize(
    ("epoch", "limits"),
    [(0, [0.1, 0.1]), (True, [0.1, 0.1]), (1, [0.1]), (1, [0, 0.1]), (1, [0.1, 1]), (1, ["1", 0.1])],
)
def test_a_band_is_two_parts_of_one(epoch, limits):
    with pytest.raises(ValueError, match=r"smoke\.replay: found .* wanted an epoch: \[loss, score\]"):
        replay_band({epoch: limits}, "smoke.replay")


def smoke(**values):
    return lambda limits: limits["problems"]["smoke"].update(values)


def settings(**values):
    return lambda limits: limits["benchmarks"]["scaffold"]["settings"].update(values)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("v1.0", lambda v: v["weights"].update(use="none"), "use: found 'none', wanted one of optional, required"),
        ("v1.0", lambda v: v["environment"]["same"].update(kernal="error"), "fact 'kernal'; did you mean 'kernel'?"),
        ("v1.0", lambda v: v.pop("energy"), "limits.yaml: energy: found none, wanted the limits of the rules ENE"),
        ("v1.0", smoke(reference_epochs={2: [8]}), "v1.0/limits.yaml: problems.smoke.reference_epochs.2: found 1 runs"),
        ("v1.0", smoke(benchmark="scafold"), "problems.smoke: benchmark: found 'scafold', .*; did you mean 'scaffold'"),
        ("v1.0", lambda v: v["rules"]["LOG"].append("LOG77"), "rules.LOG: unknown rule 'LOG77'"),
        ("v1.0", lambda v: v["rules"]["LOG"].append("LOG01"), "LOG01 is listed twice"),
        ("v1.0", lambda v: v["rules"]["LOG"].append("THR01"), "found THR01, wanted codes of this family"),
        ("v1.0", lambda v: v["rules"].update(LOG="LOG01"), "found 'LOG01', wanted a list"),
        ("v1.0", lambda v: v.update(severity={"LOG77": "warning"}), "severity: unknown rule 'LOG77'"),
        ("v1.0", lambda v: v.update(severity={"LOG01": "mild"}), "found 'mild', wanted one of error, warning"),
        ("v1.0", settings(learning_rate="fixed"), "benchmarks.scaffold: settings.learning_rate: found 'fixed', wanted"),
        ("v1.0", lambda v: v.update(registry="maybe"), "found 'maybe', wanted one of none, optional, required"),
        ("mlperf-hpc-v2.0", lambda v: v.update(yaer=2022), "unknown field 'yaer'; did you mean 'year'"),
        ("mlperf-hpc-v2.0", lambda v: v.update(based_on="mlperf-hpc-v2.0"), "based_on: no edition"),
        ("mlperf-hpc-v2.0", lambda v: v.update(based_on="mlperf-hpc-v3.0"), "wanted an edition that is based on no"),
        ("mlperf-hpc-v2.0", lambda v: v.update(clock={"gap": 60}), "found 60, which the edition"),
        ("mlperf-hpc-v3.0", lambda v: v["benchmarks"].update(cosmo={"runs": 9}), "field 'metric' is missing"),
    ],
)
def test_what_is_wrong_in_an_edition_is_refused(edited, name, change, message):
    with pytest.raises(ValueError, match=message):
        edited(name, change)


def test_the_code_that_our_own_environment_runs_at_its_start_is_known():
    code = (ROOT.parent / "requirements" / "clone.pth").read_bytes()
    debian = "43d81125d92376b1a69d53a71126a041cc9a18d8080e92dea0a2ae23be138b1e"  # sitecustomize.py of its Pythons
    assert load("v1.0").limits.environment.startup == (hashlib.sha256(code).hexdigest(), debian)
