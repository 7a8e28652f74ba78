"""CLK: each fault of the clock is found by its rule alone, and each limit from both sides."""

import dataclasses
from types import SimpleNamespace

import pytest

from compliance.checks import clock
from compliance.engine import judge
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


def test_a_time_is_shown_as_its_day():
    assert [clock.date_of(time) for time in (1_789_948_799_999, 1_789_948_800_000, 10**20)] == [
        "2026-09-20",
        "2026-09-21",
        "100000000000000000000",
    ]


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


LIMITS, TOLERANT = (SimpleNamespace(edition=load(name), metric="eval_accuracy") for name in ("v1.0", "mlperf-hpc-v1.0"))


def lines(logs, check, *events, stop=None, terms=LIMITS):
    """The lines of what a check finds in events (key, seconds, fields)."""
    read = [logs.event(i, key, round(s * MS), **{"value": None, **more}) for i, (key, s, more) in enumerate(events, 1)]
    return [fault.line for fault in check(logs.read(*read), terms, SimpleNamespace(stop=stop, passing=None))]


ROOM = 10 * (1 + CLOCK.slack) + CLOCK.slack_seconds  # for the figures of an epoch of 10 s


@pytest.mark.parametrize(
    ("stats", "found"),
    [
        ({"wait_seconds": 4.0, "compute_seconds": ROOM - 4.0 - 1e-6}, []),
        ({"wait_seconds": 4.0, "compute_seconds": ROOM - 4.0 + 1e-6}, [3]),
        ({"compute_seconds": ROOM}, []),
        ({"compute_seconds": ROOM + 1e-6}, [3]),
        ({"wait_seconds": 0.5, "compute_seconds": ROOM - 0.4}, [3]),
        ({"wait_seconds": ROOM + 1e-6, "compute_seconds": -4.0}, [3]),
        ({"wait_seconds": ROOM + 1e-6, "compute_seconds": -0.5}, [3]),
        ({"throughput": 100 / (ROOM - 1e-6)}, []),
        ({"throughput": 100 / (ROOM + 1e-6)}, [3]),
        ({"throughput": 0.5}, [3]),
        ({"throughput": 0, "wait_seconds": True}, []),
        ({"throughput": -0.5}, []),
        ([], []),
    ],
)
def test_clk12_figures_may_be_longer_by_the_slack(logs, stats, found):
    epoch = [("epoch_start", 0, {"epoch_num": 1}), ("epoch_stop", 10, {"epoch_num": 1, "samples_count": 100})]
    events = [*epoch, ("tracked_stats", 10, {"epoch_num": 1, "value": stats}), ("tracked_stats", 10, {"epoch_num": 2})]
    assert lines(logs, clock.figures_agree_with_the_clock, *events) == found
    assert lines(logs, clock.figures_agree_with_the_clock, epoch[0], *events[2:]) == []
    before = ("tracked_stats", 0, {"epoch_num": 2, "value": {}})  # of an epoch that is not there
    assert lines(logs, clock.figures_agree_with_the_clock, before, *events) == [line + 1 for line in found]


def test_clk12_no_figures_fit_into_the_shortest_epoch(logs):
    events = [("epoch_start", 0, {"epoch_num": 1}), ("epoch_stop", 0.001, {"epoch_num": 1, "samples_count": 100})]
    events.append(("tracked_stats", 0.001, {"epoch_num": 1, "value": {}}))
    assert lines(logs, clock.figures_agree_with_the_clock, *events) == []


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (("epoch_start", "epoch_stop", "eval_start", "eval_stop"), []),
        (("epoch_start", "eval_start", "eval_stop", "epoch_stop"), []),
        (("epoch_start", "epoch_start", "epoch_stop"), [1]),
        (("epoch_stop",), [1]),
        (("epoch_start", "epoch_stop", "epoch_stop"), [3]),
        (("epoch_start",), [1]),
        (("staging_start", "eval_stop"), [2, 1]),
    ],
)
def test_clk10_what_starts_stops_once(logs, keys, found):
    events = [(key, i, {"epoch_num": 1}) for i, key in enumerate(keys)]
    assert lines(logs, clock.intervals_are_balanced, *events) == found
    stop = logs.event(20, "run_stop", status="success")
    assert lines(logs, clock.intervals_are_balanced, *events, stop=stop) == found


def test_clk10_an_aborted_run_may_leave_one_open(logs):
    start = ("epoch_start", 0, {"epoch_num": 1})
    for line, found in ((20, []), (1, [1])):  # behind it, or not
        stop = logs.event(line, "run_stop", status="aborted")
        assert lines(logs, clock.intervals_are_balanced, start, stop=stop) == found
    other = [start, ("epoch_stop", 1, {"epoch_num": 2})]
    assert lines(logs, clock.intervals_are_balanced, *other, stop=stop) == [2]


@pytest.mark.parametrize(
    ("seconds", "passing", "good"),
    [
        (CLOCK.shortest_run, True, True),
        (CLOCK.shortest_run - 0.001, True, False),
        (CLOCK.shortest_run - 0.001, False, True),
        (0.0, False, True),
        (-0.001, False, False),
        (CLOCK.longest_run, True, True),
        (CLOCK.longest_run + 0.001, True, False),
        (None, True, True),
    ],
)
def test_clk13_a_run_that_met_its_target_is_neither_too_short_nor_too_long(logs, seconds, passing, good):
    time = SimpleNamespace(seconds=seconds, passing=passing, stop=SimpleNamespace(line=7))
    assert [f.line for f in clock.duration_is_plausible(None, LIMITS, time)] == ([] if good else [7])


def test_clk05_times_are_from_the_first_day_on_to_the_last(logs):
    first, last = (clock._milliseconds(date) for date in (CLOCK.not_before, CLOCK.not_after))
    assert clock.date_of(first - 1) < CLOCK.not_before == clock.date_of(first)
    assert clock.date_of(last - 1) < CLOCK.not_after == clock.date_of(last)
    for times, found in (((first, last), 0), ((first - 1, last), 1), ((first, last + 1), 1), ((), 0)):
        log = logs.read(*(logs.event(i, "seed", time) for i, time in enumerate(times, 1)))
        assert len(list(clock.times_are_of_this_round(log, LIMITS, SimpleNamespace(start=None)))) == found


@pytest.mark.parametrize(("seconds", "found"), [(-0.001, [7]), (0.0, [7]), (0.001, []), (None, [])])
def test_clk03_a_run_takes_a_millisecond(seconds, found):
    time = SimpleNamespace(seconds=seconds, stop=SimpleNamespace(line=7))
    assert [f.line for f in clock.runs_take_time(None, LIMITS, time)] == found


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ([(50, 10)], []),
        ([(50, 11)], [(50, "warning")]),
        ([(50, 100)], [(50, "warning")]),
        ([(50, 101)], [(50, "")]),
        ([(5, 11)], [(5, "warning")]),
        ([(5, 20), (6, 30), (7, 25)], [(6, "warning")]),  # the largest step of those that are a warning
        ([(5, 30), (6, 20)], [(5, "warning")]),
        ([(5, 50), (6, 101), (7, 102)], [(6, "")]),  # the first of those that are an error
    ],
)
def test_clk04_time_may_run_back_a_little_or_be_warned_of(back, found):
    limits = SimpleNamespace(clock=dataclasses.replace(CLOCK, back_ms=10, back_warn_ms=100))
    log = SimpleNamespace(back=[(line, ms, f"{9 - line % 10}") for line, ms in back])
    terms = SimpleNamespace(edition=SimpleNamespace(limits=limits))
    assert [(f.line, f.severity) for f in clock.time_never_runs_back(log, terms, None)] == found


def test_clk04_has_an_epoch_whose_time_alone_is_behind_run_stop(tree, found):
    log = tree.logs[2]
    tree.changed("epoch_start", nth=1, time_ms=log.one("run_stop")["time_ms"] + MS)
    assert ("result_2.txt", log.line(log.all("epoch_start")[1]) + 1, "CLK04") in found(tree.path(2))


def test_milestones_in_one_line_are_in_order(logs):
    """Several programs may write into one line."""
    log = logs.read(logs.event(4, "init_stop"), logs.event(4, "run_start"), logs.event(4, "staging_start"))
    assert list(clock.milestones_are_in_order(log, LIMITS, None)) == []
    assert list(clock.staging_is_inside_the_clock(log, LIMITS, SimpleNamespace(start=log.first("run_start")))) == []


@pytest.mark.parametrize(("beyond", "says"), [(0, []), (1, ["epoch_stop in line 4, after run_stop by its time"])])
def test_clk08_an_event_in_the_line_of_run_stop_is_not_behind_it(logs, beyond, says):
    log = logs.read(logs.event(4, "epoch_stop", logs.START + beyond), logs.event(4, "run_stop"))
    time = SimpleNamespace(stop=log.first("run_stop"), passing=None)
    assert [f.found for f in clock.nothing_comes_after_run_stop(log, LIMITS, time)] == says


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (("seed", "eval_start", "eval_stop", "eval_stop", "eval_start"), []),
        (("seed", "epoch_start", "epoch_start", "epoch_stop"), [2]),
        (("seed", "epoch_stop", "epoch_start", "epoch_stop"), [3]),
        (("seed", "epoch_stop"), [2]),
        (("seed", "epoch_start"), [2]),
    ],
)
def test_clk10_instances_that_share_a_log_start_as_often_as_they_stop(logs, keys, found):
    events = [(key, 0, {}) for key in keys]
    assert lines(logs, clock.intervals_are_balanced, *events, terms=TOLERANT) == found
