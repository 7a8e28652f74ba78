"""Energy measured beside a run."""

import json

import pytest

from results import summarize
from results.power import measured_energy
from results.run import read_run


def readings(log_class, start, watts, seconds, step=1.0, factor=None, kind="power_reading"):
    log = log_class(start)
    if factor is not None:
        log.add("conversion_eff", {"value": factor})
    log.add("power_measurement_start")
    for _ in range(round(seconds / step)):
        log.add(kind, {"value": watts}, after=round(step * 1000))
    return log.add("power_measurement_stop")


def test_nodes_and_switches_add_up(tmp_path, new_log):
    run = new_log.scaffold(10.0).write(tmp_path / "result_0.txt")
    start = read_run(run).window[0]
    folder = tmp_path / "power" / "result_0"
    readings(new_log.Log, start - 5000, 100.0, 20).write(folder / "node_0.txt")
    readings(new_log.Log, start - 5000, 200.0, 20, factor=0.5).write(folder / "node_1.txt")
    new_log.Log().add("interconnect_power_est", {"value": 30}).write(folder / "sw_0.txt")
    assert measured_energy(read_run(run)) == pytest.approx((100 + 100 + 30) * 10)


def test_a_node_without_readings_leaves_no_number(tmp_path, new_log):
    run = new_log.scaffold(10.0).write(tmp_path / "result_0.txt")
    assert measured_energy(read_run(run)) is None
    new_log.Log().add("other").write(tmp_path / "power" / "result_0" / "node_0.txt")
    assert measured_energy(read_run(run)) is None


def test_energy_is_averaged_over_the_runs_that_the_time_is(tree, new_log, capsys):
    logs = [new_log.scaffold(50 + i, seed=900 + i) for i in range(5)]
    folder = tree.set(logs)
    for i in range(5):
        start = read_run(folder / f"result_{i}.txt").window[0]
        readings(new_log.Log, start, 10.0 * (1 + i), 60).write(folder / "power" / f"result_{i}" / "node_0.txt")
    summarize.main(["--no-judge", "--format", "json", str(tree.root)])
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert row["joules"] == pytest.approx((20 * 51 + 30 * 52 + 40 * 53) / 3)
    assert row["joules_per_sample"] == pytest.approx(row["joules"] / 400, rel=0.02)
