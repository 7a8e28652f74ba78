"""ENE: counters that run back, stop, stand for others, or leave something out."""

import copy

import pytest

from benchmark.hosts import short
from compliance.families import energy as checks
from compliance.reading.energy import Live, Reading, Source
from compliance.reading.log import Log
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed
from tests.compliance.logs import event, read
from tests.compliance.made import terms, timeline


def source_changed(code, at, **fields):
    """A damage: a counter of run 2 has other fields."""

    @damage
    def entry(metered):
        return [("result_2.txt", metered.sourced(at, **fields), code)]

    return entry


source_without_a_scope = source_changed("ENE01", 0, scope="rack")


@damage
def joules_after_null(metered):
    metered.read(4, lambda value: value["joules"].__setitem__(0, None))
    line = metered.line(5)
    return [("result_2.txt", line, "ENE02")]


@damage
def hole_at_an_epoch(metered):
    event = metered.logs[2].all("epoch_stop")[2]
    reading = next(
        e for e in metered.readings if (e["metadata"]["moment"], e["metadata"].get("epoch_num")) == ("epoch_stop", 3)
    )
    metered.logs[2].events.remove(reading)
    return [("result_2.txt", metered.written(event), "ENE03")]


@damage
def reading_of_an_epoch_that_never_was(metered):
    more = copy.deepcopy(metered.readings[-2])
    more["metadata"] |= {"moment": "epoch_stop", "epoch_num": 99}
    metered.logs[2].events.insert(-1, more)
    return [("result_2.txt", metered.written(more), "ENE03")]


@damage
def counters_in_a_log_of_two_starts(metered):
    """CLK01 tells of it."""
    events = metered.logs[2].events
    for key in ("energy_sources", "init_stop"):
        event = metered.logs[2].one(key)
        again = copy.deepcopy(event)
        events.insert(events.index(event) + 1, again)
    return [("result_2.txt", metered.written(again), "CLK01")]


counter_that_nobody_knows = source_changed("ENE10", 0, source="bmc2")


@damage
def more_than_a_processor_draws(metered):
    line = metered.scaled(5.0)
    return [("result_2.txt", line, "ENE04")] * 2


@damage
def second_processor_left_out(metered):
    for index in range(5):
        metered.drop(1, index)
    return [(f"result_{i}.txt", log.line_of("energy_sources"), "ENE05") for i, log in enumerate(metered.logs)]


one_processor_twice = source_changed("ENE06", 1, device="package-0")


@damage
def read_once_a_wrap(metered):
    return [("result_2.txt", metered.read(6, lambda value: None, gap_seconds=1000.0), "ENE07")] * 2


rehearsed = event_changed("ENE08", "energy_sources", of="metered", metadata={"rehearsal": True})


@damage
def another_node(metered):
    line = metered.sourced(0, node="n2")
    metered.sourced(1, node="n2")
    return [("result_2.txt", line, "ENE09")] * 2


@damage
def idle_accelerator(metered):
    """Of another accelerator than the one that computes."""
    metered.sourced(0, source="nvml", scope="device", device="1234")
    return [("result_2.txt", metered.sourced(1, source="nvml", scope="device", device="567"), "ENE09")] * 2


def test_ene09_a_node_may_be_one_of_hosts_that_are_numbered():
    """Their names are not told, those of counters' nodes are."""
    names = [f"{'x' * 64}{n}z" for n in range(2000)]
    equal = {"kind": "cpu", "name": "A processor", "ranks": 2, "distinct": 0}
    log = read(event(1, "devices", value=[{"hosts": short([names])[0], **equal}]))
    source = Source(names[0], "rapl", "package", "package-0", None, 500.0, 300, 100)
    log.memo = {"energy": Live(7, (source,), (), False, ())}
    assert list(checks.counters_are_of_what_computes(log, None, None)) == []


PASSED = timeline(passing="some")
TERMS = terms()  # a counter may measure 1.2 times the limit of its device


def of(
    check, *readings, sources=1, scopes=(), moments=(), wraps_at=None, gap=0.0, limit=500.0, counters=1, time=PASSED
):
    """(line, found) of what a check finds in readings (milliseconds, joules of each counter), from line 11 on. Each
    counter is of a device of 500 W, or of several that are alike."""
    scopes = scopes or ["package"] * sources
    own = tuple(Source("n1", "x", scope, f"p{i}", wraps_at, limit, counters, 1) for i, scope in enumerate(scopes))
    told = zip(enumerate(readings, 11), moments or ["run_start"] * len(readings), strict=True)
    read = tuple(Reading(line, at, None, [ms] * len(joules), list(joules), gap) for (line, (ms, *joules)), at in told)
    log = Log("", memo={"energy": Live(5, own, read, False, ())})
    return [(fault.line, fault.found) for fault in check(log, TERMS, time)]


FALL, POWER, HOLES = checks.joules_never_fall, checks.power_is_what_machines_draw, checks.readings_have_no_holes
TWICE, WRAP = checks.nothing_is_counted_twice, checks.no_wrap_is_missed
PARTS = ("node", "module", "device", "package")
MOMENTS = ["run_start", "epoch_stop", "epoch_stop", "epoch_stop", "run_stop"]
WRAPS = {"wraps_at": 600.0}  # a second after which a counter of 500 W, and a fifth more, begins again


@pytest.mark.parametrize(
    ("check", "readings", "facts", "found"),
    [
        (FALL, [(1000, 0), (2000, 0), (3000, 5)], {}, []),
        (FALL, [(1000, 7), (2000, 8), (3000, 9)], {}, [(11, "7 J of n1: package p0 at first")]),
        (FALL, [(1000, None), (2000, None)], {}, []),
        (FALL, [(1000, 0), (2000, 5), (3000, 4)], {}, [(13, "4 J of n1: package p0 after 5")]),
        (FALL, [(1000, 0), (999, 5)], {}, [(12, "n1: package p0 read at 999 after 1000")]),
        (FALL, [], {}, []),
        (HOLES, [(time, 0) for time in range(5)], {"moments": MOMENTS}, [(13, "another reading at epoch_stop")]),
        (HOLES, [(0, 0), (10_000, 6001)], {"time": timeline()}, []),  # of a run that was not over
        (POWER, [(0, 0), (10_000, 6001)], {"time": timeline()}, []),
        (POWER, [(0, 0), (10_000, 6000)], {}, []),  # 600 W
        (POWER, [(0, 0), (10_000, 6001)], {}, [(12, "600.1 W of n1: package p0")]),
        (POWER, [(0, 0), (5_000, 6000), (10_000, 6000)], {}, []),  # the mean counts
        (POWER, [(0, 100), (10_000, 6100)], {}, []),  # what was counted before doesn't
        (POWER, [(0, 0), (10_000, 5)], {}, []),  # 0.5 W
        (POWER, [(0, 0), (10_000, 0)], {}, [(12, "0 W of n1: package p0")]),
        (POWER, [(0, 0), (500, 301)], {}, [(12, "602 W of n1: package p0")]),  # in half a second
        (POWER, [(0, 0), (0, 100)], {}, []),  # in no time
        (POWER, [(1000, 0), (500, 100)], {}, []),  # ENE02 says so
        (POWER, [(0, None), (10_000, 6001)], {}, []),
        (POWER, [(0, 0), (10_000, None)], {}, []),
        (POWER, [(0, 0, 0), (10_000, None, 6001)], {"sources": 2}, [(12, "600.1 W of n1: package p1")]),
        (POWER, [(0, 0), (10_000, 12_000)], {"limit": 1e9}, []),  # 1,000 W by the rules, and a fifth more
        (POWER, [(0, 0), (10_000, 12_001)], {"limit": 1e9}, [(12, "1200.1 W of n1: package p0")]),
        (POWER, [(0, 0), (10_000, 300 * 6001)], {"counters": 300}, [(12, "600.1 W of n1: package p0, each of 300")]),
        (TWICE, [], {"scopes": PARTS}, [(5, "counters of n1: of the node, and of a module in it")]),
        (TWICE, [], {"scopes": PARTS[:2]}, [(5, "counters of n1: of the node, and of a module in it")]),
        (WRAP, [], WRAPS, []),
        (WRAP, [(0, 0)], {**WRAPS, "gap": 0.999}, []),
        (WRAP, [(0, 0), (1, 0)], {**WRAPS, "gap": 1.0}, [(12, "1.000 s between readings of n1: package p0")]),
    ],
)
def test_readings_of_counters_are_those_of_machines(check, readings, facts, found):
    assert of(check, *readings, **facts) == found


def test_ene05_is_of_runs_that_read_counters():
    runs = [made.run(passing="some")]
    assert list(checks.all_of_the_machine_is_measured(runs, made.place(), TERMS)) == []


@pytest.mark.parametrize(
    ("node", "found"),
    [("n7", []), ("login", ["a counter of login: device gpu"]), ("n9999", ["a counter of the node n9999"])],
)
def test_ene09_where_devices_are_counted_their_nodes_are_known(node, found):
    item = {"kind": "cuda", "name": "X", "ranks": 4}
    hosts = {**item, "hosts": [f"n{n}" for n in range(1025)], "distinct": 4100}
    log = read(event(1, "devices", value=[hosts, {**item, "host": "login", "uuids": ["a", "b", "c", "d"]}]))
    log.memo["energy"] = Live(5, (Source(node, "nvml", "device", "gpu", None, 700.0, 1, 1),), (), False, ())
    assert [fault.found for fault in checks.counters_are_of_what_computes(log, TERMS, PASSED)] == found


@pytest.mark.parametrize(("times", "found"), [((1000, 2000), []), ((-1, 500), ["1.001 s from run_start in line 3"])])
@pytest.mark.parametrize("at", [1000, "noon", 10**400])
def test_ene03_the_earliest_of_equal_counters_counts_as_well(times, found, at):
    source = Source("n1", "x", "device", "g", None, 500.0, 300, 100)
    readings = (Reading(4, "run_start", None, [times[1]], [0], 0.0, [times[0]]),)
    log = read(event(3, "run_start", at))
    log.memo = {"energy": Live(5, (source,), readings, False, ())}
    told = [fault.found for fault in checks.readings_have_no_holes(log, TERMS, PASSED)]
    assert told == (found if at == 1000 else [])  # an event without a time
