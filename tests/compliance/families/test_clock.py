"""CLK: each fault of the clock is found by its rule alone, and each limit from both sides."""

import pytest

from compliance.engine import judge
from compliance.families import clock as checks
from rules.edition import load

damage = pytest.mark.damage
CLOCK = load("v1.0").limits.clock
MS = 1000


@damage
def second_run_start_shortly_before_run_stop(tree):
    stop = tree.logs[2].one("run_stop")
    start = {**tree.logs[2].one("run_start"), "time_ms": stop["time_ms"]}
    return [("result_2.txt", tree.inserted(stop, start), "CLK01")]


@damage
def second_run_stop(tree):
    log = tree.logs[2]
    stop = {**log.one("run_stop")}
    log.events.append(stop)
    tree.write(2)
    return [("result_2.txt", len(log.events), "CLK01")]


@damage
def no_run_stop(tree):
    tree.removed("run_stop")
    return [("result_2.txt", 1, "CLK01")]


@damage
def no_run_start(tree):
    tree.removed("run_start")
    return [("result_2.txt", 1, "CLK01")]


@damage
def init_stop_twice_and_equal(tree):
    log = tree.logs[2]
    return [("result_2.txt", tree.inserted(log.one("run_start"), dict(log.one("init_stop"))), "CLK01")]


@damage
def init_stop_after_run_start(tree):
    log = tree.logs[2]
    a, b = (log.events.index(log.one(k)) for k in ("init_stop", "run_start"))
    log.events[a], log.events[b] = log.events[b], log.events[a]
    tree.write(2)
    return [("result_2.txt", a + 1, "CLK02")]


@damage
def negative_run_time(tree):
    start = tree.logs[2].one("run_start")["time_ms"]
    return [("result_2.txt", tree.changed("run_stop", time_ms=start - 1000), "CLK03")]


@damage
def clock_runs_back(tree):
    time = tree.logs[2].all("epoch_stop")[1]["time_ms"]
    return [("result_2.txt", tree.changed("eval_start", nth=1, time_ms=time - 2000), "CLK04")]


@damage
def all_timestamps_halved(tree):
    for event in tree.logs[2].events:
        event["time_ms"] //= 2
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(tree.logs[2].one("run_start")), "CLK05")]


@damage
def timestamps_in_seconds(tree):
    event = tree.logs[2].all("epoch_stop")[1]
    event["time_ms"] = event["time_ms"] / 1000 + 0.25
    tree.write(2)
    return [("result_2.txt", tree.logs[2].line(event), "CLK05")]


@damage
def gap_before_run_start(tree):
    log = tree.logs[2]
    for event in log.events[: log.events.index(log.one("run_start"))]:
        event["time_ms"] -= 20_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_start")), "CLK06")]


@damage
def half_an_hour_of_initialisation(tree):
    log = tree.logs[2]
    for event in log.events[: log.events.index(log.one("init_stop"))]:
        event["time_ms"] -= 1_800_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("init_stop")), "CLK07")]


@damage
def an_epoch_after_run_stop(tree):
    log = tree.logs[2]
    log.start("epoch_start", epoch_num=6)
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_stop")), "CLK08")]


@damage
def run_stop_a_minute_late(tree):
    time = tree.logs[2].one("run_stop")["time_ms"]
    return [("result_2.txt", tree.changed("run_stop", time_ms=time + 60_000), "CLK09")]


@damage
def epoch_never_stops(tree):
    event = tree.logs[2].all("epoch_start")[1]
    line = tree.logs[2].line(event)
    tree.removed("epoch_stop", epoch=2)
    return [("result_2.txt", line, "CLK10")]


@damage
def evaluation_stops_twice(tree):
    log = tree.logs[2]
    accuracy = log.all("eval_accuracy")[1]
    return [("result_2.txt", tree.inserted(accuracy, dict(log.all("eval_stop")[1])), "CLK10")]


@damage
def staging_before_the_clock(tree):
    log = tree.logs[2]
    first, second = log.one("staging_start"), log.one("staging_stop")
    time = log.one("run_start")["time_ms"] - 1
    log.events = [e for e in log.events if e is not first and e is not second]
    at = log.events.index(log.one("run_start"))
    log.events[at:at] = [{**first, "time_ms": time}, {**second, "time_ms": time}]
    tree.write(2)
    return [("result_2.txt", at + 1, "CLK11")]


@damage
def time_of_the_run_halved(tree):
    log = tree.logs[2]
    start = log.one("run_start")["time_ms"]
    for event in log.events[log.events.index(log.one("run_start")) :]:
        event["time_ms"] = start + (event["time_ms"] - start) // 2
    tree.write(2)
    return [("result_2.txt", log.line(log.one("tracked_stats")), "CLK12")]


@damage
def run_of_a_century(tree):
    log = tree.logs[2]
    for event in log.events[log.events.index(log.all("epoch_stop")[-1]) :]:
        event["time_ms"] += 100_000_000_000
    tree.write(2)
    return [("result_2.txt", log.line(log.one("run_stop")), "CLK13")]


@damage
def first_event_before_time_began(tree):
    tree.logs[2].events[0]["time_ms"] = -1
    tree.write(2)
    return [("result_2.txt", 1, "CLK05")]


@damage
def last_event_long_after(tree):
    log = tree.logs[2]
    log.add("odd", 1, after=10**12)
    log.events[-1]["key"] = "tracked_stats"
    tree.write(2)
    return [("result_2.txt", len(log.events), "CLK05")]


def test_damage(entry, exactly):
    exactly(entry)


def put_off(log, event, until):
    """Move an event, and all that come after it, so that it comes `until` milliseconds."""
    by = until - event["time_ms"]
    for later in log.events[log.events.index(event) :]:
        later["time_ms"] += by


def codes_of(tree, found):
    tree.write(2)
    return [code for _, _, code in found(tree.root)]


def said(tree, law, code):
    """What is found by a rule in run 2."""
    tree.write(2)
    return [f.found for f in judge([tree.path(2)], rules=law).findings if f.code == code]


@pytest.mark.parametrize(
    ("beyond", "wanted"), [(-1, []), (0, []), (1, ["epoch_start in line {}, after run_stop by its time"])]
)
def test_clk08_an_event_may_have_the_time_of_run_stop(tree, law, beyond, wanted):
    log = tree.logs[2]
    stop = log.one("run_stop")
    event = {**log.all("epoch_start")[-1], "metadata": {"epoch_num": 6}, "time_ms": stop["time_ms"] + beyond}
    log.events.insert(log.events.index(stop), event)
    assert said(tree, law, "CLK08") == [text.format(log.line(event)) for text in wanted]


def test_clk08_says_that_an_event_is_behind_run_stop(tree, law):
    log = tree.logs[2]
    log.start("epoch_start", epoch_num=6)
    assert said(tree, law, "CLK08") == [f"epoch_start in line {log.line(log.all('epoch_start')[-1])}, after run_stop"]


@pytest.mark.parametrize(("beyond", "number"), [(-1, 1), (0, 0), (1, 0)])
def test_clk11_staging_may_start_with_the_clock(tree, law, beyond, number):
    log = tree.logs[2]
    log.one("staging_start")["time_ms"] = log.one("run_start")["time_ms"] + beyond
    assert len(said(tree, law, "CLK11")) == number


@pytest.mark.parametrize(("beyond", "codes"), [(0, []), (1, ["CLK06"])])
def test_clk06_the_gap_may_be_the_limit(tree, found, beyond, codes):
    log = tree.logs[2]
    put_off(log, log.one("run_start"), log.one("init_stop")["time_ms"] + int(CLOCK.gap * MS) + beyond)
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(-1, ["CLK18"]), (0, ["CLK07"])])
def test_clk07_initialisation_takes_less_than_the_limit(tree, found, beyond, codes):
    log = tree.logs[2]
    put_off(log, log.one("init_stop"), log.one("init_start")["time_ms"] + int(CLOCK.init * MS) + beyond)
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(0, []), (1, ["CLK09"])])
def test_clk09_run_stop_may_come_as_late_as_the_limit(tree, found, beyond, codes):
    log = tree.logs[2]
    last = log.all("eval_accuracy")[-1]["time_ms"]
    put_off(log, log.one("run_stop"), last + int(CLOCK.stop_delay * MS) + beyond)
    assert codes_of(tree, found) == codes


@pytest.mark.parametrize(("beyond", "codes"), [(0, []), (1, ["CLK13"])])
def test_clk13_a_run_may_be_as_long_as_the_limit(tree, found, beyond, codes):
    log = tree.logs[2]
    start = log.one("run_start")["time_ms"]
    put_off(log, log.one("staging_stop"), start + int(CLOCK.longest_run * MS) + beyond - after(log, "staging_stop"))
    tree.write(2)
    assert [code for _, _, code in found(tree.path(2))] == codes  # alone: it lasts longer than the others are apart


def after(log, key):
    """Milliseconds from the first event of a key to run_stop."""
    return log.one("run_stop")["time_ms"] - log.one(key)["time_ms"]


def test_clk04_has_an_epoch_whose_time_alone_is_behind_run_stop(tree, found):
    log = tree.logs[2]
    tree.changed("epoch_start", nth=1, time_ms=log.one("run_stop")["time_ms"] + MS)
    assert ("result_2.txt", log.line(log.all("epoch_start")[1]) + 1, "CLK04") in found(tree.path(2))


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
    monkeypatch.setattr(checks.clock, "time", lambda: tree.logs[0].events[0]["time_ms"] / 1000 - 172_800)
    return [(f"result_{i}.txt", len(log.events), "CLK19") for i, log in enumerate(tree.logs)]
