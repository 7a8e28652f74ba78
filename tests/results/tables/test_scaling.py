"""Rows of studies: speed-up and efficiency, medians of three seeds, phases and what a rank needs."""

import math
from types import SimpleNamespace

import pytest

from results.measures.registry import MEASURES
from results.tables.scaling import middle, needs, seconds, shares, strong_runs

NAMES = ("org", "ranks", "joules")


def points(tree, new_log, seconds, org="acme", system="box", **facts):
    """A study of runs, three at each number of ranks."""
    for ranks, took in seconds.items():
        more = {"number_of_ranks": ranks, "watts": 100.0 * ranks, **facts}
        logs = [new_log.scaffold(took * k, seed=100 * ranks + i, **more) for i, k in enumerate((1.0, 0.9, 1.2))]
        tree.set(logs, org=org, system=f"{system}-{ranks}")


def test_speedup_and_efficiency_are_next_to_the_fewest_ranks(tree, new_log):
    points(tree, new_log, {4: 40.0, 16: 20.0, 8: 20.0})
    rows = list(strong_runs(tree.results(), NAMES))
    assert [(r["ranks"], r["median_seconds"]) for r in rows] == [(4, 40.0), (8, 20.0), (16, 20.0)]
    assert [(r["speedup"], r["efficiency"]) for r in rows] == [(1, 1), (2, 1), (2, 0.5)]
    assert [(r["least_seconds"], r["most_seconds"]) for r in rows] == [(36.0, 48.0), (18.0, 24.0), (18.0, 24.0)]
    assert {r["system"] for r in rows} == {"box"}
    assert rows[0]["joules"] == pytest.approx(16_000)  # the mean of three runs is that of the middle one


def test_studies_are_not_mixed(tree, new_log):
    points(tree, new_log, {1: 40.0, 2: 20.0}, system="one")
    points(tree, new_log, {1: 40.0}, system="two", global_batch_size=16)
    points(tree, new_log, {2: 40.0}, system="two")
    points(tree, new_log, {1: 40.0, 2: 20.0}, org="other", system="one")
    assert [(r["org"], r["system"], r["ranks"]) for r in strong_runs(tree.results(), NAMES)] == [
        (org, "one", n) for org in ("acme", "other") for n in (1, 2)
    ]


@pytest.mark.parametrize(("seeds", "known"), [((1, 2, 2), False), ((1, 2, 2, 3), True)])
def test_a_median_is_of_three_seeds(tree, new_log, seeds, known):
    tree.set([new_log.scaffold(40.0 + i, epochs=4, seed=seed) for i, seed in enumerate(seeds)])
    (r,) = tree.results()
    found = middle(r)
    assert MEASURES["seeds"].get(r) == len(set(seeds)) and ("median_seconds" in found) is known


def test_a_run_that_did_not_converge_took_for_ever(tree, new_log):
    tree.set([new_log.scaffold(40.0 + i, epochs=4, seed=i + 1, reach=i < 2) for i in range(3)])
    found = middle(*tree.results())
    assert (found["median_seconds"], found["least_seconds"], found["most_seconds"]) == (41.0, 40.0, math.inf)


def steps(**value):
    """A run that measured steps."""
    return SimpleNamespace(measured=SimpleNamespace(value=value), value={"throughput_setup": {"steps": 10}}.get)


def test_shares_are_of_the_step_with_its_evaluation():
    phases = dict.fromkeys(("forward", "optimizer", "norm", "reduction", "evaluation"), 1.0)
    found = shares(seconds(steps(seconds={"wait": 3.0, "backward": 2.0, **phases})))
    assert [found.pop(name) for name in ("largest", "beside_compute")] == ["compute", "input"]
    assert found == {"compute": 40.0, "input": 30.0, "communication": 20.0, "evaluation": 10.0, "rest": 0.0}


@pytest.mark.parametrize("odd", [None, [], {}, {"wait": "1e9"}, {"wait": True}, {"wait": -1.0}, {"wait": 1e300}])
def test_strange_phases_are_none(odd):
    assert shares(seconds(steps(seconds=odd))) == {}


def test_what_a_rank_needs():
    memory = {"least_by_rank": 2**30, "most_by_rank": 3 * 2**29}
    rates = {"bytes_read": {"total": 4e6}, "step_seconds": 0.2, "model_tflops": 5.0, "peak_share": 0.25}
    found = needs(steps(peak_memory_bytes=memory, **rates))
    assert (found.pop("least_gib"), found.pop("most_gib")) == (1.0, 1.5)
    assert found == {"read_mb_per_second": 2.0, "tflops": 5.0, "peak_percent": 25.0}
    assert set(needs(steps(peak_memory_bytes=3, bytes_read=[], step_seconds="x")).values()) == {None}
