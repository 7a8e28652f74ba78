"""PWR: power logs that hold no readings, or don't cover their run."""

import pytest

from compliance.families import power as checks
from compliance.reading.power import reach_of
from rules.edition import load
from tests.compliance.families.damages import damage, files_changed, log_changed
from tests.compliance.logs import log_text, reading


def readings_changed(code, line, change):
    """A damage: a node has other readings."""

    @damage
    def entry(measured):
        change(measured.readings)
        measured.measure()
        return [("node_0.txt", line, code)]

    return entry


def lossy(factor):
    """What makes a power supply of this efficiency."""
    return lambda readings: readings.insert(0, {**readings[0], "key": "conversion_eff", "value": factor})


negative_watts = readings_changed("PWR01", 4, lambda readings: readings[3].update(value=-400.0))
power_of_nothing = readings_changed("PWR01", 1, lambda readings: readings.clear())
node_that_draws_nothing = readings_changed(
    "PWR01", 1, lambda readings: [one.update(value=0.0) for one in readings if one["key"] == "power_reading"]
)
power_supply_that_loses_nearly_all = readings_changed("PWR01", 1, lossy(0.01))
power_that_starts_late = readings_changed("PWR02", 1, lambda readings: readings.__delitem__(slice(5)))
reading_in_the_log_itself = log_changed(  # a millisecond after the run began
    "PWR02", lambda tree, log: tree.inserted(log.one("staging_start"), reading(log.one("staging_start")["time_ms"]))
)
power_of_no_run = files_changed("PWR02", "node_0.txt", lambda measured: measured.measure("result_7"))


@pytest.mark.parametrize(("factor", "codes"), [(0.69, ["PWR01"]), (0.7, []), (1.0, []), (1.01, ["PWR01"])])
def test_pwr01_a_power_supply_has_an_efficiency(measured, found, factor, codes):
    lossy(factor)(measured.readings)
    measured.measure()
    assert [code for *_, code in found(measured.root)] == codes


@damage
def log_that_draws_nothing(tree):
    log = tree.logs[2]
    for key in ("run_start", "epoch_start", "run_stop"):
        for one in log.all(key):
            tree.inserted(one, {**reading(one["time_ms"]), "value": 0.0})
    line = tree.written(log.one("power_reading"))
    return [("result_2.txt", line, "PWR01")]


@damage
def power_of_one_node_in_two(measured):
    measured.described(number_of_nodes="2")
    lines = [measured.on_two_nodes(index) for index in range(5)]
    return [("result_2.txt", lines[2], "PWR02")]


@pytest.mark.parametrize(
    ("first", "last", "codes"), [(0, 0, []), (1, 0, ["PWR02"]), (0, -1, ["PWR02"]), (-1, 1, []), (1, -1, ["PWR02"])]
)
def test_pwr02_readings_begin_and_end_with_the_run(measured, found, first, last, codes):
    """So many milliseconds after the run's start and after its end."""
    log = measured.logs[2]
    times = log.one("run_start")["time_ms"] + first, log.one("run_stop")["time_ms"] + last
    inside = range(log.one("run_start")["time_ms"] + 1000, times[1], 1000)
    measured.readings = [reading(time) for time in (times[0], *inside, times[1])]
    measured.measure()
    assert [code for *_, code in found(measured.root)] == codes


def with_a_meter(metered, watts):
    """The submission with a meter of run 2 beside its counters, which read 400 W; the line of its sources."""
    start, stop = (metered.logs[2].one(key)["time_ms"] for key in ("run_start", "run_stop"))
    readings = [reading(time, watts) for time in range(start - 1000, stop + 1001, 1000)]
    metered.put(metered.path(2).parent / "power" / "result_2" / "node_0.txt", log_text(readings))
    return metered.logs[2].line(metered.logs[2].one("energy_sources"))


@damage
def meter_of_one_supply_in_two(metered):
    return [("result_2.txt", with_a_meter(metered, 210.0), "PWR03")]


@pytest.mark.parametrize(("watts", "codes"), [(379.9, ["PWR03"]), (380.1, []), (1000, [])])
def test_pwr03_a_meter_measures_no_less_than_counters(metered, found, watts, codes):
    with_a_meter(metered, watts)
    assert [code for *_, code in found(metered.root)] == codes


def test_pwr03_counters_that_are_wrong_say_nothing_of_a_meter(metered, found):
    metered.scaled(1000)
    with_a_meter(metered, 210.0)
    assert [code for *_, code in found(metered.root)] == ["ENE04", "ENE04"]


LIMITS = load("v1.0").limits.energy


@pytest.mark.parametrize(("seconds", "least"), [(40, 20), (100, LIMITS.gap), (1000, 1000 * LIMITS.gap_share)])
@pytest.mark.parametrize("over", [0, 1])
def test_pwr02_readings_are_not_far_apart(seconds, least, over):
    """So many milliseconds more than allowed, inside a run; before and after it there may be none for an hour."""
    stop, gap = seconds * 1000, round(least * 1000) + over
    times = [-3_600_000, *range(0, stop - gap, 1000), stop - gap, stop + 3_600_000]
    reach = reach_of([(time, 100.0) for time in times], (0, stop))
    found = list(checks._holes(reach, (0, stop), "node_0.txt", LIMITS))
    assert [fault.found for fault in found] == [f"{gap / 1000:.3f} s of the run between two readings"] * over
    assert list(checks._holes(reach, (0, stop), "node_0.txt", None)) == []


@pytest.mark.parametrize("name", ["node_0.txt", "sw_0.txt"])
@pytest.mark.parametrize("stopped", [True, False])
def test_pwr02_is_of_nodes_alone_and_of_runs_that_stopped(measured, found, name, stopped):
    key = {"node_0.txt": "power_reading", "sw_0.txt": "interconnect_power_est"}[name]
    measured.readings = [reading(measured.logs[2].one("run_start")["time_ms"] + 1500, key=key)]
    path = measured.measure()
    path.rename(path.with_name(name))
    if not stopped:
        measured.removed("run_stop")
    codes = [code for *_, code in found(measured.root) if code.startswith("PWR")]
    assert codes == (["PWR02"] if stopped and name == "node_0.txt" else [])
