"""CLK: each fault of the clock is found by its rule alone, and each limit from both sides."""

import pytest

from compliance.families import clock as checks
from compliance.reading.log import Log
from rules.edition import load
from tests.compliance.families.damages import damage, files_changed, log_changed
from tests.compliance.logs import START, event, read
from tests.compliance.made import terms, timeline

CLOCK = load("v1.0").limits.clock
MS = 1000


no_run_stop = files_changed("CLK01", "result_2.txt", lambda tree: tree.removed("run_stop"))
init_stop_twice_and_equal = log_changed(
    "CLK01", lambda tree, log: tree.inserted(log.one("run_start"), dict(log.one("init_stop")))
)
init_stop_after_run_start = log_changed(
    "CLK02", lambda tree, log: tree.moved(log.one("run_start"), log.one("init_stop"))
)
negative_run_time = log_changed(
    "CLK03", lambda tree, log: tree.changed("run_stop", time_ms=log.one("run_start")["time_ms"] - 1000)
)
clock_runs_back = log_changed(
    "CLK04", lambda tree, log: tree.changed("eval_start", nth=1, time_ms=log.all("epoch_stop")[1]["time_ms"] - 2000)
)
timestamps_in_seconds = log_changed(
    "CLK05", lambda tree, log: tree.changed("eval_stop", nth=1, time_ms=log.one("eval_stop")["time_ms"] / 1000 + 0.25)
)
run_stop_a_minute_late = log_changed(
    "CLK09", lambda tree, log: tree.changed("run_stop", time_ms=log.one("run_stop")["time_ms"] + 60_000)
)
evaluation_within_an_epoch = log_changed(
    "CLK15", lambda tree, log: tree.moved(log.all("eval_start")[1], log.all("epoch_stop")[1])
)


def earlier(code, milliseconds, before, at):
    """A damage: the events before one are so much earlier, which is found at another."""

    @damage
    def entry(tree):
        log = tree.logs[2]
        for one in log.events[: log.events.index(log.one(before))]:
            one["time_ms"] -= milliseconds
        return [("result_2.txt", tree.written(log.one(at)), code)]

    return entry


gap_before_run_start = earlier("CLK06", 20_000, "run_start", "run_start")
half_an_hour_of_initialisation = earlier("CLK07", 1_800_000, "init_stop", "init_stop")
events_long_before_init_start = earlier("CLK18", 120_000, "init_start", "init_stop")


@log_changed("CLK08")
def an_epoch_after_run_stop(tree, log):
    log.start("epoch_start", epoch_num=6)
    return tree.written(log.one("run_stop"))


@log_changed("CLK21")
def run_start_within_the_first_epoch(tree, log):
    tree.moved(log.one("epoch_start"), log.one("init_stop"))
    return tree.written(log.one("run_start"))


@damage
def epoch_never_stops(tree):
    event = tree.logs[2].all("epoch_start")[1]
    line = tree.logs[2].line(event)
    tree.removed("epoch_stop", epoch=2)
    return [("result_2.txt", line, "CLK10")]


@log_changed("CLK11")
def staging_before_the_clock(tree, log):
    tree.moved(log.one("staging_stop"), log.one("run_start"))
    return tree.moved(log.one("staging_start"), log.one("staging_stop"))


@log_changed("CLK20")
def time_of_the_run_halved(tree, log):
    start = log.one("run_start")["time_ms"]
    for one in log.events[log.events.index(log.one("run_start")) :]:
        one["time_ms"] = start + (one["time_ms"] - start) // 2
    return tree.written(log.one("tracked_stats"))


@log_changed("CLK13")
def run_of_a_century(tree, log):
    log.shift(100_000_000_000, since=log.all("epoch_stop")[-1])
    return tree.written(log.one("run_stop"))


@pytest.mark.parametrize("key", ["staging_start", "staging_stop"])
@pytest.mark.parametrize(("line", "beyond", "found"), [(3, 0, [3]), (4, 0, []), (5, -1, [5]), (5, 0, [])])
def test_clk11_staging_starts_with_the_clock_or_later(key, line, beyond, found):
    """Several programs may write into one line."""
    log = read(event(4, "run_start"), event(line, key, START + beyond))
    faults = checks.staging_is_inside_the_clock(log, LIMITS, timeline(start=log.first("run_start")))
    assert [f.line for f in faults] == found


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


@log_changed("CLK16")
def evaluation_in_no_time(tree, log):
    stop = log.all("eval_stop")[1]
    log.shift(log.all("eval_start")[1]["time_ms"] - stop["time_ms"], since=stop)
    return tree.written(stop)


@log_changed("CLK17")
def first_epoch_in_a_second(tree, log):
    stats, stop = log.one("tracked_stats"), log.one("epoch_stop")
    log.shift(log.one("epoch_start")["time_ms"] + 1000 - stop["time_ms"], since=stats)
    stats["value"] |= {"throughput": 8.0, "wait_seconds": 0.1, "compute_seconds": 0.9}
    return tree.written(stop)


@damage
def runs_of_the_day_after_tomorrow(tree, monkeypatch):
    monkeypatch.setattr(checks.clock, "time", lambda: tree.logs[0].events[0]["time_ms"] / 1000 - 172_800)
    return [(f"result_{i}.txt", len(log.events), "CLK19") for i, log in enumerate(tree.logs)]


LIMITS, TOLERANT = terms(), terms(load("mlperf-hpc-v1.0"), "deepcam", metric="eval_accuracy")
EXACT = {  # limits without rounding
    "slack": 0.25,
    "slack_seconds": 0.5,
    "paused_seconds": 1.5,
    "excess": 0.25,
    "resolution": 0.125,
    "eval_share": 0.25,
    "first_epoch_share": 0.5,
    "init_free": 10.0,
    "init_share": 0.5,
    "future": 60.0,
}


BACK = terms(clock={"back_ms": 10, "back_warn_ms": 100})


def told(check, *events, seconds=None, **changes):
    """What a check finds: (line, found, wanted). `changes` are those of the terms."""
    faults = check(read(*events), terms(clock=EXACT, **changes), timeline(seconds))
    return [(fault.line, fault.found, fault.wanted) for fault in faults]


def unbalanced(*events, stop=None, terms=LIMITS):
    """The lines of what CLK10 finds in events (key, epoch)."""
    told = [event(line, key, epoch_num=epoch) for line, (key, epoch) in enumerate(events, 1)]
    return [fault.line for fault in checks.intervals_are_balanced(read(*told), terms, timeline(stop=stop))]


@pytest.mark.parametrize(
    ("terms", "keys", "found"),
    [
        (LIMITS, ("staging_start", "eval_stop"), [2, 1]),
        (TOLERANT, ("seed", "eval_start", "eval_stop", "eval_stop", "eval_start"), []),  # of several instances
        (TOLERANT, ("seed", "epoch_start", "epoch_start", "epoch_stop"), [2]),
        (TOLERANT, ("seed", "epoch_stop"), [2]),
    ],
)
def test_clk10_what_starts_stops_once(terms, keys, found):
    for stop in (None, event(20, "run_stop", status="success")):
        assert unbalanced(*((key, 1) for key in keys), stop=stop, terms=terms) == found


def test_clk10_an_aborted_run_may_leave_one_open():
    start = ("epoch_start", 1)
    for line, found in ((20, []), (1, [1])):  # behind it, or not
        stop = event(line, "run_stop", status="aborted")
        assert unbalanced(start, stop=stop) == found
    assert unbalanced(start, ("epoch_stop", 2), stop=stop) == [2]


@pytest.mark.parametrize(
    ("seconds", "passing", "wanted"),
    [
        (CLOCK.shortest_run, True, []),
        (CLOCK.shortest_run - 0.001, True, ["0.5 to 2592000 s"]),
        (0.001, False, []),
        (0.0, False, ["more than 0 s"]),
        (-0.001, False, ["more than 0 s", "0 to 2592000 s"]),
        (CLOCK.longest_run, True, []),
        (CLOCK.longest_run + 0.001, True, ["0.5 to 2592000 s"]),
        (None, True, []),
    ],
)
def test_clk03_and_clk13_bound_the_seconds_of_a_run(seconds, passing, wanted):
    time = timeline(seconds, passing=passing)
    faults = [*checks.runs_take_time(None, LIMITS, time), *checks.duration_is_plausible(None, LIMITS, time)]
    assert [(f.line, f.wanted) for f in faults] == [(7, text) for text in wanted]


def test_clk05_times_are_from_the_first_day_on_to_the_last():
    first, last = (checks._milliseconds(date) for date in (CLOCK.not_before, CLOCK.not_after))
    assert checks.date_of(first - 1) < CLOCK.not_before == checks.date_of(first)
    assert checks.date_of(last - 1) < CLOCK.not_after == checks.date_of(last)
    assert checks.date_of(10**20) == "100000000000000000000"
    for times, found in (((first, last), []), ((first - 1, last), [1]), ((first, last + 1, last + 2), [3]), ((), [])):
        log = read(*(event(i, "seed", time) for i, time in enumerate(times, 1)))
        assert [fault.line for fault in checks.times_are_of_this_round(log, LIMITS, None)] == found


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ([(50, 10)], []),
        ([(50, 11)], [(50, "warning")]),
        ([(50, 100)], [(50, "warning")]),
        ([(50, 101)], [(50, "")]),
        ([(5, 50), (6, 102), (7, 101)], [(6, "")]),  # the largest step
    ],
)
def test_clk04_time_may_run_back_a_little_or_be_warned_of(back, found):
    log = Log("", back=[(line, ms, f"{9 - line % 10}") for line, ms in back])
    assert [(f.line, f.severity) for f in checks.time_never_runs_back(log, BACK, None)] == found


@pytest.mark.parametrize(("total", "found"), [(100, []), (101, ["epoch_start and others earlier, by 101 ms in all"])])
def test_clk04_small_steps_back_count_together(total, found):
    log = Log("", back=[(5, 60, "epoch_start"), (9, 41, "epoch_start")], back_ms=total)
    faults = checks.time_never_runs_back(log, terms(load("v1.0")), None)
    assert [f.found for f in faults if f.severity == "review"] == found


def test_clk04_names_the_event_that_is_later_if_it_is_kept():
    events = [event(1, "run_start", 700), event(2, "epoch_start", 900), event(3, "epoch_stop", 500)]
    log = read(*events)
    log.back = [(3, 400, "epoch_stop")]
    (fault,) = checks.time_never_runs_back(log, BACK, None)
    assert fault.found == "epoch_stop 400 ms earlier than epoch_start of line 2"
    log.back = [(3, 401, "epoch_stop")]  # than one that is not kept
    (fault,) = checks.time_never_runs_back(log, BACK, None)
    assert fault.found == "epoch_stop 401 ms earlier than an event before it"


def test_clk02_milestones_in_one_line_are_in_order():
    log = read(event(4, "init_stop"), event(4, "run_start"))
    assert list(checks.milestones_are_in_order(log, LIMITS, None)) == []


@pytest.mark.parametrize("key", ["epoch_stop", "eval_accuracy"])
@pytest.mark.parametrize(("beyond", "says"), [(0, []), (1, ["in line 4, after run_stop by its time"])])
def test_clk08_an_event_in_the_line_of_run_stop_is_not_behind_it(key, beyond, says):
    log = read(event(4, key, START + beyond), event(4, "run_stop"))
    faults = checks.nothing_comes_after_run_stop(log, LIMITS, timeline(stop=log.first("run_stop")))
    assert [f.found for f in faults] == [f"{key} {text}" for text in says]


@pytest.mark.parametrize("key", ["epoch_start", "eval_start", "eval_accuracy"])
@pytest.mark.parametrize(("line", "found"), [(3, [4]), (4, [])])
def test_clk21_an_event_in_the_line_of_run_start_is_not_before_it(key, line, found):
    log = read(event(line, key), event(4, "run_start"))
    faults = checks.nothing_comes_before_run_start(log, LIMITS, timeline(start=log.first("run_start")))
    assert [f.line for f in faults] == found


def test_clk08_without_a_target_instances_end_with_run_stop():
    log = read(event(4, "run_stop"), event(5, "epoch_stop"))
    (fault,) = checks.nothing_comes_after_run_stop(log, TOLERANT, timeline(stop=log.first("run_stop")))
    assert fault.severity == ""


def paced(*pairs, kind="epoch", since=0):
    """Epochs or evaluations, one after another, of so many milliseconds and samples: lines 1 and 3, 4 and 6, ..."""
    events = []
    for number, (took, samples) in enumerate(pairs, 1):
        line = 3 * number - 2 + since
        events.append(event(line, f"{kind}_start", 100_000 * line, epoch_num=number))
        facts = {"epoch_num": number, "samples_count": samples}
        events.append(event(line + 2, f"{kind}_stop", 100_000 * line + took, **facts))
    return events


def evaluated(*pairs):
    return paced(*pairs, kind="eval", since=20)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"throughput": 44 / 4.5}, None),  # 8 s less a quarter and 1.5 s
        ({"throughput": 44 / 4.375}, "4.375 s by throughput"),
        ({"throughput": 44 / 10.5}, None),  # 8 s and a quarter and half a second
        ({"throughput": 4.0}, "11.000 s by throughput"),
        ({"wait_seconds": 0.5, "compute_seconds": 3.875}, "4.375 s by wait_seconds and compute_seconds"),
        ({"throughput": 44.0, "wait_seconds": 0.5, "compute_seconds": 1}, "1.000 s by throughput"),
        ({"wait_seconds": 0.5}, None),
        ({"throughput": True}, None),
        ({"throughput": 0}, None),
        ([8.25], None),
    ],
)
def test_clk20_a_later_epoch_is_judged_by_each_of_its_figures(value, found):
    """The first epoch has no figures. DATA06 counts samples only of a problem that is published."""
    check, stats = checks.figures_are_those_of_the_clock, event(5, "tracked_stats", value=value, epoch_num=2)
    wanted = "the 8.000 s from epoch_start to epoch_stop"
    told_of_it = [(5, f"{found} in epoch 2", wanted)] if found else []
    assert told(check, *paced((8000, 44), (8000, 44)), stats) == told_of_it
    for samples in (None, "44") if "throughput" in value else ():
        assert "by throughput" not in str(told(check, *paced((8000, 44), (8000, samples)), stats))


@pytest.mark.parametrize(
    ("quantiles", "batch", "found"),
    [
        ([3.0, 4.0, 5.0], 4, False),  # 11 steps of 3.5 s on average at least: 38.5 s
        ([5.0, 3.5, 4.5], 4, True),  # whatever their order
        ([4.0], 4, False),
        ([4.0, "4", 5.0], 4, False),
        ([4.0] * 1000, 4, False),
        ([4.0, 4.0, 5.0], 0, False),
        ([4.0, 4.0, 5.0], "4", False),
    ],
)
def test_clk20_an_epoch_takes_no_less_than_its_steps(quantiles, batch, found):
    value = {"wait_seconds": 0.0, "compute_seconds": 30.0, "step_compute_seconds": quantiles}
    facts = [event(9, "global_batch_size", value=batch), event(2, "tracked_stats", value=value, epoch_num=1)]
    wanted = [(2, "30.000 s by compute_seconds in epoch 1", "44.000 s or more, by step_compute_seconds")]
    assert told(checks.figures_are_those_of_the_clock, *paced((30_000, 44)), *facts) == (wanted if found else [])


def test_clk15_the_first_that_begins_within_another_is_told():
    keys = ["epoch_start", "epoch_stop", "eval_start", "epoch_start", "epoch_start"]
    found = [(4, "epoch_start within eval_start of line 3", "after it has ended")]
    events = (event(line, key) for line, key in enumerate(keys, 1))
    assert told(checks.epochs_and_evaluations_alternate, *events) == found


@pytest.mark.parametrize(("took", "found"), [(3874, "3.874 s for epoch 2"), (3875, None)])
def test_clk16_a_later_evaluation_is_held_against_the_median_epoch(took, found):
    """Of 2 s a sample: 1, 2 and 4 s. An evaluation of 8 samples takes a quarter of 16 s, less the resolution. The
    evaluation before it has no samples, and epochs without a time or without samples don't count."""
    epochs = paced((8000, 8), (32_000, 8), (16_000, 8), (0, 8), (900, 0))
    evaluations = evaluated((1, 0), (took, 8), (1, 8) if found else (9000, 8))
    found = [(26, found, "4.000 s or more, 0.25 of its training's time a sample")] if found else []
    assert told(checks.evaluations_take_time, *epochs, *evaluations) == found


@pytest.mark.parametrize("samples", [None, "8", True, -1, 10**400])
def test_clk16_an_odd_count_of_samples_is_none(samples):
    check = checks.evaluations_take_time
    assert told(check, *paced((8000, 8)), *evaluated((0, samples))) == []
    assert told(check, *paced((8000, samples)), *evaluated((0, 8))) == []
    epochs = paced((8000, samples), (8000, 8), (8000, samples))
    (fault,) = told(check, *epochs, *evaluated((0, 8)))
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
def test_clk17_the_first_epoch_is_held_against_the_others_median(seconds, found):
    wanted = [(3, f"{seconds[0] / 1000:.3f} s", f"{found} s or more, 0.5 of the others' median")] if found else []
    assert told(checks.the_first_epoch_reads_the_data, *paced(*((took, 8) for took in seconds))) == wanted


@pytest.mark.parametrize(
    ("earlier", "took", "run", "most"),
    [
        (0, 10_000, 4.0, None),  # the free time
        (0, 10_001, 4.0, 10),
        (4000, 8000, 24.0, None),  # a share of the run; one process initialises from its first event
        (4001, 8000, 24.0, 12),
        (0, 99_999, None, None),
    ],
)
def test_clk18_allows_the_free_time_or_a_share_of_the_run(earlier, took, run, most):
    times = {"submission_org": -earlier, "init_start": 0, "init_stop": took}
    events = [event(line, key, time) for line, (key, time) in enumerate(times.items(), 1)]
    wanted = (
        [(3, f"{(earlier + took) / 1000:.3f} s before a run of {run:.3f} s", f"at most {most:.3f} s")] if most else []
    )
    assert told(checks.initialisation_is_short_beside_the_run, *events, seconds=run) == wanted
    many = told(checks.initialisation_is_short_beside_the_run, *events, seconds=run, many_ranks=True)
    assert many == ([] if earlier else wanted)


@pytest.mark.parametrize(("ahead", "late"), [(60_000, False), (60_001, True)])
def test_clk19_the_latest_event_is_told_with_the_day(monkeypatch, ahead, late):
    now = 1_775_000_000_000
    monkeypatch.setattr(checks.clock, "time", lambda: now / 1000)
    day, times = checks.date_of(now), (now, now + ahead, None, "later", now - 5)
    events = (event(line, f"key_{line}", time) for line, time in enumerate(times, 1))
    wanted = [(2, f"key_2 at {day}", f"at most today, {day}")] if late else []
    assert told(checks.no_run_is_from_the_future, *events) == wanted
    assert told(checks.no_run_is_from_the_future) == []
