"""CLK14 to CLK19: clocks that go at two paces; each limit from both sides."""

import time
from types import SimpleNamespace

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


EXACT = SimpleNamespace(  # limits without rounding
    slack=0.25,
    slack_seconds=0.5,
    resolution=0.125,
    eval_share=0.25,
    first_epoch_share=0.5,
    init_free=10.0,
    init_share=0.5,
    future=60.0,
)


def told(check, log, seconds=None):
    """What a check finds: (line, found, wanted)."""
    terms = SimpleNamespace(edition=SimpleNamespace(limits=SimpleNamespace(clock=EXACT)))
    return [(fault.line, fault.found, fault.wanted) for fault in check(log, terms, SimpleNamespace(seconds=seconds))]


def paced(logs, *pairs, kind="epoch", since=0, **metadata):
    """Epochs or evaluations, one after another, of so many milliseconds and samples: lines 1 and 3, 4 and 6, ..."""
    events = []
    for number, (took, samples) in enumerate(pairs, 1):
        line = 3 * number - 2 + since
        events.append(logs.event(line, f"{kind}_start", 100_000 * line, epoch_num=number))
        facts = {"epoch_num": number, "samples_count": samples}
        events.append(logs.event(line + 2, f"{kind}_stop", 100_000 * line + took, **facts))
    return events


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"throughput": 8.0}, None),  # 5.5 s: 8 s less a quarter and half a second
        ({"throughput": 8.125}, "5.415 s by throughput in epoch 2"),
        ({"wait_seconds": 0.5, "compute_seconds": 5.0}, None),
        ({"wait_seconds": 0.5, "compute_seconds": 4.875}, "5.375 s by wait_seconds and compute_seconds in epoch 2"),
        (
            {"throughput": 4.0, "wait_seconds": 0.5, "compute_seconds": 1},
            "1.500 s by wait_seconds and compute_seconds in epoch 2",
        ),
        ({"throughput": 44.0, "wait_seconds": 0.5, "compute_seconds": 1}, "1.000 s by throughput in epoch 2"),
        ({"wait_seconds": 0.5}, None),
        ({"throughput": True}, None),
        ([8.25], None),
    ],
)
def test_clk14_a_later_epoch_is_judged_by_each_of_its_figures(logs, value, found):
    """The first epoch has no figures."""
    stats = logs.event(5, "tracked_stats", value=value, epoch_num=2)
    log = logs.read(*paced(logs, (8000, 44), (8000, 44)), stats)
    assert told(pace.figures_fill_the_clock, log) == ([(5, found, "its 8.000 s on the clock")] if found else [])


@pytest.mark.parametrize("samples", [None, "44"])
def test_clk14_without_a_count_of_samples_a_throughput_gives_no_seconds(logs, samples):
    stats = logs.event(2, "tracked_stats", value={"throughput": 44.0}, epoch_num=1)
    assert told(pace.figures_fill_the_clock, logs.read(*paced(logs, (8000, samples)), stats)) == []


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (["epoch_start", "epoch_stop", "eval_start", "eval_stop", "epoch_start", "epoch_stop"], []),
        (["epoch_start", "eval_start", "eval_stop", "epoch_stop"], [(2, "eval_start within epoch_start of line 1")]),
        (
            ["epoch_start", "epoch_stop", "eval_start", "epoch_start", "epoch_start"],
            [(4, "epoch_start within eval_start of line 3")],
        ),
        (["epoch_stop", "epoch_start"], []),
    ],
)
def test_clk15_the_first_that_begins_within_another_is_told(logs, keys, found):
    log = logs.read(*(logs.event(line, key) for line, key in enumerate(keys, 1)))
    assert told(pace.epochs_and_evaluations_alternate, log) == [(*one, "after it has ended") for one in found]


@pytest.mark.parametrize(("took", "found"), [(3874, "3.874 s for epoch 2"), (3875, None), (4000, None)])
def test_clk16_a_later_evaluation_is_held_against_the_median_epoch(logs, took, found):
    """Of 2 s a sample: 1, 2 and 4 s. An evaluation of 8 samples takes a quarter of 16 s, less the resolution. The
    evaluation before it has no samples, and epochs without a time or without samples don't count."""
    epochs = paced(logs, (8000, 8), (32_000, 8), (16_000, 8), (0, 8), (900, 0))
    evaluations = paced(logs, (1, 0), (took, 8), (1, 8) if found else (9000, 8), kind="eval", since=20)
    found = [(26, found, "4.000 s or more, 0.25 of its training's time a sample")] if found else []
    assert told(pace.evaluations_take_time, logs.read(*epochs, *evaluations)) == found


@pytest.mark.parametrize("samples", [None, "8", True, 8.0, -1])
def test_clk16_an_odd_count_of_samples_is_none(logs, samples):
    epochs, evaluations = paced(logs, (8000, 8)), paced(logs, (0, samples), kind="eval", since=20)
    assert told(pace.evaluations_take_time, logs.read(*epochs, *evaluations)) == []
    epochs, evaluations = paced(logs, (8000, samples)), paced(logs, (0, 8), kind="eval", since=20)
    assert told(pace.evaluations_take_time, logs.read(*epochs, *evaluations)) == []
    epochs = paced(logs, (8000, samples), (8000, 8), (8000, samples))
    (fault,) = told(pace.evaluations_take_time, logs.read(*epochs, *evaluations))
    assert fault[2].startswith("2.000 s or more")


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        ((0,), None),
        ((3874, 8000), "4.000"),
        ((3875, 8000), None),
        ((1874, 4000, 16_000, 2000), "2.000"),  # half of the median of the others
        ((1875, 4000, 16_000, 2000), None),
    ],
)
def test_clk17_the_first_epoch_is_held_against_the_others_median(logs, seconds, found):
    log = logs.read(*paced(logs, *((took, 8) for took in seconds)))
    told_of_it = [(3, f"{seconds[0] / 1000:.3f} s", f"{found} s or more, 0.5 of the others' median")] if found else []
    assert told(pace.the_first_epoch_reads_the_data, log) == told_of_it


@pytest.mark.parametrize(
    ("took", "run", "most"),
    [(10_000, 4.0, None), (10_001, 4.0, 10), (15_000, 30.0, None), (15_001, 30.0, 15), (99_999, None, None)],
)
def test_clk18_initialisation_takes_the_free_time_or_a_share_of_the_run(logs, took, run, most):
    log = logs.read(logs.event(1, "init_start", 0), logs.event(2, "init_stop", took))
    found = [(2, f"{took / 1000:.3f} s before a run of {run:.3f} s", f"at most {most:.3f} s")] if most else []
    assert told(pace.initialisation_is_short_beside_the_run, log, run) == found


@pytest.mark.parametrize(("ahead", "late"), [(60_000, False), (60_001, True)])
def test_clk19_the_latest_event_is_told_with_the_day(logs, monkeypatch, ahead, late):
    now = 1_775_000_000_000
    monkeypatch.setattr(pace.clock, "time", lambda: now / 1000)
    times = (now, now + ahead, None, "later", now - 5)
    log = logs.read(*(logs.event(line, f"key_{line}", time) for line, time in enumerate(times, 1)))
    day = pace.date_of(now)
    assert told(pace.no_run_is_from_the_future, log) == (
        [(2, f"key_2 at {day}", f"at most today, {day}")] if late else []
    )
    assert told(pace.no_run_is_from_the_future, logs.read()) == []
