"""CLK: each fault of the clock is found by its rule alone, and each limit from both sides."""

import pytest

from compliance.families import clock as checks
from rules.edition import load
from tests.compliance.families.damages import files_changed, log_changed

damage = pytest.mark.damage
CLOCK = load("v1.0").limits.clock
MS = 1000


no_run_stop = files_changed("CLK01", "result_2.txt", lambda tree: tree.removed("run_stop"))
init_stop_twice_and_equal = log_changed(
    "CLK01", lambda tree, log: tree.inserted(log.one("run_start"), dict(log.one("init_stop")))
)
negative_run_time = log_changed(
    "CLK03", lambda tree, log: tree.changed("run_stop", time_ms=log.one("run_start")["time_ms"] - 1000)
)
clock_runs_back = log_changed(
    "CLK04", lambda tree, log: tree.changed("eval_start", nth=1, time_ms=log.all("epoch_stop")[1]["time_ms"] - 2000)
)
run_stop_a_minute_late = log_changed(
    "CLK09", lambda tree, log: tree.changed("run_stop", time_ms=log.one("run_stop")["time_ms"] + 60_000)
)
evaluation_within_an_epoch = log_changed(
    "CLK15", lambda tree, log: tree.moved(log.all("eval_start")[1], log.all("epoch_stop")[1])
)


@damage
def init_stop_after_run_start(tree):
    log = tree.logs[2]
    a, b = (log.events.index(log.one(k)) for k in ("init_stop", "run_start"))
    log.events[a], log.events[b] = log.events[b], log.events[a]
    tree.write(2)
    return [("result_2.txt", a + 1, "CLK02")]


@damage
def timestamps_in_seconds(tree):
    event = tree.logs[2].all("epoch_stop")[1]
    event["time_ms"] = event["time_ms"] / 1000 + 0.25
    return [("result_2.txt", tree.written(event), "CLK05")]


def earlier(code, milliseconds, before, at):
    """A damage: the events before one are so much earlier, which is found at another."""

    @damage
    def entry(tree):
        log = tree.logs[2]
        for event in log.events[: log.events.index(log.one(before))]:
            event["time_ms"] -= milliseconds
        return [("result_2.txt", tree.written(log.one(at)), code)]

    return entry


gap_before_run_start = earlier("CLK06", 20_000, "run_start", "run_start")
half_an_hour_of_initialisation = earlier("CLK07", 1_800_000, "init_stop", "init_stop")
events_long_before_init_start = earlier("CLK18", 120_000, "init_start", "init_stop")


@damage
def an_epoch_after_run_stop(tree):
    log = tree.logs[2]
    log.start("epoch_start", epoch_num=6)
    return [("result_2.txt", tree.written(log.one("run_stop")), "CLK08")]


@damage
def epoch_never_stops(tree):
    event = tree.logs[2].all("epoch_start")[1]
    line = tree.logs[2].line(event)
    tree.removed("epoch_stop", epoch=2)
    return [("result_2.txt", line, "CLK10")]


@damage
def staging_before_the_clock(tree):
    log = tree.logs[2]
    tree.moved(log.one("staging_stop"), log.one("run_start"))
    return [("result_2.txt", tree.moved(log.one("staging_start"), log.one("staging_stop")), "CLK11")]


@damage
def time_of_the_run_halved(tree):
    log = tree.logs[2]
    start = log.one("run_start")["time_ms"]
    for event in log.events[log.events.index(log.one("run_start")) :]:
        event["time_ms"] = start + (event["time_ms"] - start) // 2
    return [("result_2.txt", tree.written(log.one("tracked_stats")), "CLK20")]


@damage
def run_of_a_century(tree):
    log = tree.logs[2]
    log.shift(100_000_000_000, since=log.all("epoch_stop")[-1])
    return [("result_2.txt", tree.written(log.one("run_stop")), "CLK13")]


def test_damage(entry, exactly):
    exactly(entry)


@pytest.mark.parametrize(("beyond", "number"), [(-1, 1), (0, 0), (1, 0)])
def test_clk11_staging_may_start_with_the_clock(tree, codes_of, beyond, number):
    log = tree.logs[2]
    log.one("staging_start")["time_ms"] = log.one("run_start")["time_ms"] + beyond
    assert codes_of(tree) == ["CLK11"] * number


@pytest.mark.parametrize(
    ("event", "since", "limit", "beyond", "codes"),
    [
        ("run_start", "init_stop", CLOCK.gap, 0, []),
        ("run_start", "init_stop", CLOCK.gap, 1, ["CLK06"]),
        ("init_stop", "first", CLOCK.init, -1, ["CLK18"]),
        ("init_stop", "first", CLOCK.init, 0, ["CLK07"]),
        ("run_stop", "eval_accuracy", CLOCK.stop_delay, 0, []),
        ("run_stop", "eval_accuracy", CLOCK.stop_delay, 1, ["CLK09"]),
    ],
)
def test_milestones_come_so_late_and_no_later(tree, codes_of, event, since, limit, beyond, codes):
    log = tree.logs[2]
    begin = log.events[0] if since == "first" else log.all(since)[-1]
    until = begin["time_ms"] + int(limit * MS) + beyond
    log.shift(until - log.one(event)["time_ms"], since=log.one(event))
    assert codes_of(tree) == codes


@damage
def evaluation_in_no_time(tree):
    log = tree.logs[2]
    stop = log.all("eval_stop")[1]
    log.shift(log.all("eval_start")[1]["time_ms"] - stop["time_ms"], since=stop)
    return [("result_2.txt", tree.written(stop), "CLK16")]


@damage
def first_epoch_in_a_second(tree):
    log = tree.logs[2]
    stats, stop = log.one("tracked_stats"), log.one("epoch_stop")
    log.shift(log.one("epoch_start")["time_ms"] + 1000 - stop["time_ms"], since=stats)
    stats["value"] |= {"throughput": 8.0, "wait_seconds": 0.1, "compute_seconds": 0.9}
    return [("result_2.txt", tree.written(stop), "CLK17")]


@damage
def runs_of_the_day_after_tomorrow(tree, monkeypatch):
    monkeypatch.setattr(checks.clock, "time", lambda: tree.logs[0].events[0]["time_ms"] / 1000 - 172_800)
    return [(f"result_{i}.txt", len(log.events), "CLK19") for i, log in enumerate(tree.logs)]
