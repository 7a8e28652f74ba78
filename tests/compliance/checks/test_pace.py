"""CLK14 to CLK19: clocks that go at two paces; each limit from both sides."""

import time

import pytest

from compliance.checks import pace
from compliance.reading.terms import terms_for
from rules.edition import load

damage = pytest.mark.damage
CLOCK = load("v1.0").limits.clock


def later(log, event, by):
    """Move an event, and all that come after it."""
    for one in log.events[log.events.index(event) :]:
        one["time_ms"] += round(by)


@damage
def an_epoch_longer_than_its_figures(tree):
    log = tree.logs[2]
    event = log.all("tracked_stats")[1]
    later(log, event, 5000)
    tree.write(2)
    return [("result_2.txt", log.line(event), "CLK14")]


@damage
def evaluation_within_an_epoch(tree):
    log = tree.logs[2]
    start, stop = log.all("eval_start")[1], log.all("epoch_stop")[1]
    log.events.remove(start)
    start["time_ms"] = stop["time_ms"]
    return [("result_2.txt", tree.inserted(stop, start), "CLK15")]


@damage
def evaluation_in_no_time(tree):
    log = tree.logs[2]
    stop = log.all("eval_stop")[1]
    later(log, stop, log.all("eval_start")[1]["time_ms"] - stop["time_ms"])
    tree.write(2)
    return [("result_2.txt", log.line(stop), "CLK16")]


@damage
def first_epoch_in_a_second(tree):
    log = tree.logs[2]
    stats, stop = log.one("tracked_stats"), log.one("epoch_stop")
    later(log, stats, log.one("epoch_start")["time_ms"] + 1000 - stop["time_ms"])
    stats["value"] |= {"throughput": 8.0, "wait_seconds": 0.1, "compute_seconds": 0.9}
    tree.write(2)
    return [("result_2.txt", log.line(stop), "CLK17")]


@damage
def initialisation_longer_than_the_run(tree):
    log = tree.logs[2]
    later(log, log.one("init_stop"), 120_000)
    tree.write(2)
    return [("result_2.txt", log.line(log.one("init_stop")), "CLK18")]


@damage
def runs_of_the_day_after_tomorrow(tree, monkeypatch):
    monkeypatch.setattr(pace.clock, "time", lambda: tree.logs[0].events[0]["time_ms"] / 1000 - 172_800)
    return [(f"result_{i}.txt", len(log.events), "CLK19") for i, log in enumerate(tree.logs)]


def test_damage(entry, exactly):
    exactly(entry)


def codes_of(tree, found):
    tree.write(2)
    return [code for _, _, code in found(tree.root)]


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["CLK14"])])
@pytest.mark.parametrize("figure", ["throughput", "parts"])
def test_clk14_figures_may_be_short_by_the_slack(tree, found, figure, beyond, codes):
    log = tree.logs[2]
    seconds = (log.all("epoch_stop")[1]["time_ms"] - log.all("epoch_start")[1]["time_ms"]) / 1000
    told = seconds * (1 - CLOCK.slack) - CLOCK.slack_seconds - beyond * 1e-6
    value = log.all("tracked_stats")[1]["value"]
    value |= (
        {"throughput": 8 / told} if figure == "throughput" else {"wait_seconds": 0.1, "compute_seconds": told - 0.1}
    )
    if not beyond:  # the exact limit is lost in rounding
        value |= {"throughput": 8 / (told + 1e-9), "compute_seconds": seconds - 0.1}
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(-1, ["CLK16"]), (0, []), (1, [])])
def test_clk16_an_evaluation_may_be_as_short_as_the_floor(tree, found, beyond, codes):
    log = tree.logs[2]
    for epoch in range(5):  # of 16 s each, for 8 samples: an evaluation of 4 has a floor of 8 eval_share
        start, stats, stop = (log.all(key)[epoch] for key in ("epoch_start", "tracked_stats", "epoch_stop"))
        later(log, stop, start["time_ms"] + 16_000 - stop["time_ms"])
        stats["time_ms"] = stop["time_ms"]
        stats["value"] |= {"throughput": 0.5, "wait_seconds": 0.1, "compute_seconds": 15.9}
    floor = round(8000 * CLOCK.eval_share - 1000 * CLOCK.resolution)
    later(log, log.all("eval_stop")[1], log.all("eval_start")[1]["time_ms"] + floor + beyond - stop_of(log, 1))
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("samples", "faults"), [(0, 0), (1, 1), (2, 1)])
def test_clk16_an_epoch_and_an_evaluation_of_one_sample_count(logs, samples, faults):
    times = {"epoch_start": 0, "epoch_stop": 16_000, "eval_start": 16_000, "eval_stop": 16_000}
    events = [logs.event(i, key, ms, samples_count=samples, epoch_num=1) for i, (key, ms) in enumerate(times.items())]
    log = logs.read(*events)
    assert len(list(pace.evaluations_take_time(log, terms_for(log, load("v1.0")), None))) == faults


@pytest.mark.parametrize(("throughput", "faults"), [(-1, 0), (0, 0), (1, 1)])
def test_clk14_a_throughput_of_none_a_second_gives_no_seconds(logs, throughput, faults):
    """LOG13 says so; a waiver may have covered that."""
    start, stop = logs.event(1, "epoch_start", 0, epoch_num=1), logs.event(3, "epoch_stop", 16_000, epoch_num=1)
    stop.metadata["samples_count"] = 8
    log = logs.read(start, logs.event(2, "tracked_stats", value={"throughput": throughput}, epoch_num=1), stop)
    assert len(list(pace.figures_fill_the_clock(log, terms_for(log, load("v1.0")), None))) == faults


def stop_of(log, at):
    return log.all("eval_stop")[at]["time_ms"]


@pytest.mark.parametrize(("beyond", "codes"), [(-1, ["CLK17"]), (0, []), (1, [])])
def test_clk17_the_first_epoch_may_be_as_short_as_the_floor(tree, found, beyond, codes):
    log = tree.logs[2]
    for epoch in range(5):
        start, stats, stop = (log.all(key)[epoch] for key in ("epoch_start", "tracked_stats", "epoch_stop"))
        took = 8000 if epoch else round(8000 * CLOCK.first_epoch_share - 1000 * CLOCK.resolution) + beyond
        later(log, stop, start["time_ms"] + took - stop["time_ms"])
        stats["time_ms"] = stop["time_ms"]
        stats["value"] |= {"throughput": 8000 / took, "wait_seconds": 0.1, "compute_seconds": took / 1000 - 0.1}
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["CLK18"])])
def test_clk18_initialisation_may_take_the_free_time_in_a_short_run(tree, found, beyond, codes):
    log = tree.logs[2]
    start, stop = log.one("init_start")["time_ms"], log.one("init_stop")
    assert log.one("run_stop")["time_ms"] - log.one("run_start")["time_ms"] < CLOCK.init_free * 1000
    later(log, stop, start + CLOCK.init_free * 1000 + beyond - stop["time_ms"])
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["CLK18"])])
def test_clk18_initialisation_may_take_as_long_as_a_long_run(tree, found, beyond, codes):
    log = tree.logs[2]
    later(log, log.one("staging_stop"), 200_000)
    run = log.one("run_stop")["time_ms"] - log.one("run_start")["time_ms"]
    stop = log.one("init_stop")
    later(log, stop, log.one("init_start")["time_ms"] + run * CLOCK.init_share + beyond - stop["time_ms"])
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(-1, []), (0, []), (1, ["CLK19"])])
def test_clk19_a_log_may_be_ahead_by_the_limit(tree, found, monkeypatch, beyond, codes):
    end = tree.logs[4].events[-1]["time_ms"]
    monkeypatch.setattr(pace.clock, "time", lambda: (end - CLOCK.future * 1000 - beyond) / 1000)
    assert [code for _, _, code in found(tree.root)] == codes


def test_the_reviews_are_reviews_and_today_is_not_the_future():
    from compliance.rule import CHECKS

    assert {CHECKS[f"CLK{n}"].severity for n in (16, 17, 18, 19)} == {"review"}
    assert {CHECKS[f"CLK{n}"].severity for n in (14, 15)} == {"error"}
    assert pace.clock.time() == pytest.approx(time.time(), abs=60)
