"""What a log says of counters, what it comes to, and what of the machine they left out."""

import pytest

from compliance.engine import judge
from compliance.reading import energy
from compliance.reading.energy import Coverage, Source, coverage_of, energy_of, live_of, shortfall, tier_of
from tests.compliance.made import timeline
from tests.support.sides import sides

SOURCE = {"node": "n1", "source": "rapl", "scope": "package", "device": "p", "wraps_at": 1.5, "limit_watts": None}


def source(scope, node="n1"):
    return Source(node, "any", scope, "d", None, None, 1, 1)


def runs_of(tree, law):
    return [log.run for log in judge([tree.root], rules=law).all_sets[0].logs]


def test_joules_of_a_run_its_epochs_and_its_evaluations(metered, law):
    """Two processors of 200 W."""
    run = runs_of(metered, law)[2]
    assert run.energy.tier == "component"
    assert run.joules == pytest.approx(400 * run.seconds, rel=1e-9)
    for kind, joules in (("epoch", run.energy.training), ("eval", run.energy.evaluation)):
        assert joules == pytest.approx(400 * sum(b - a for a, b in run.spans[kind]) / 1000, rel=1e-9)
    assert run.coverage == Coverage(run.coverage.line, "component", 1, 2, 0, 0)


def test_instruments_come_first_and_a_last_reading_is_needed(metered, law, logs):
    start, stop = (metered.logs[2].one(key)["time_ms"] for key in ("run_start", "run_stop"))
    path = metered.path(2).parent / "power" / "result_2" / "node_0.txt"
    logs.Log([logs.reading(time, 700.0) for time in (start - 1, (start + stop) // 2, stop + 1)]).write(path)
    metered.logs[3].events.pop()
    metered.write(3)
    found = runs_of(metered, law)
    tiers = [run.energy and run.energy.tier for run in found]
    assert tiers == ["component", "component", "meter", None, "component"]
    assert found[2].joules == pytest.approx(700 * found[2].seconds, rel=1e-9)


@pytest.fixture
def told(logs):
    """The log of these sources and of readings from line 4 on, each of values and metadata."""

    def read(sources, *readings, **more):
        head = logs.event(3, "energy_sources", value=sources, **{"rehearsal": False, **more})
        events = [logs.event(n, "energy_reading", value=value, **said) for n, (value, said) in enumerate(readings, 4)]
        return logs.read(head, *events)

    return read


def test_sources_are_told_once_before_readings_or_are_none(logs, told):
    resumed = told([SOURCE])
    resumed.events["resumed"] = [logs.event(9, "resumed")]
    for log in (logs.read(), told([]), resumed):
        found = live_of(log)
        assert (found.sources, found.readings, found.faults, coverage_of(log)) == ((), (), (), None)
    log = logs.read(*(logs.event(line, "energy_sources", value=[SOURCE]) for line in (3, 5)))
    assert live_of(log).faults == ((5, "another energy_sources", "one, as in line 3"),)
    found = live_of(logs.read(logs.event(4, "energy_reading"), logs.event(7, "energy_reading")))
    assert (found.line, found.rehearsal) == (4, False)
    assert found.faults == ((4, "energy_reading without energy_sources", "energy_sources"),)


def test_more_numbers_than_can_be_judged_are_a_fault(told, monkeypatch):
    good = {"time_ms": [1], "joules": [0]}, {"moment": "run_start", "gap_seconds": 0}
    assert len(live_of(told([SOURCE], *[(3, {})] * 96)).faults) == energy.SHOWN
    monkeypatch.setattr(energy, "MOST_NUMBERS", 3)
    assert live_of(told([SOURCE], *[good] * 3)).faults == ()
    found = live_of(told([SOURCE], *[good] * 4))
    assert found.faults == ((3, "4 readings of 1 counters", "no more than can be judged"),)
    assert found.rehearsal is live_of(told(7)).rehearsal is False  # which would be another finding


def test_what_is_not_plainly_none_is_a_rehearsal(told):
    for said in (False, True, None, 0, "no"):
        assert live_of(told([SOURCE], rehearsal=said)).rehearsal is (said is not False)


def read_large(told, number, **changes):
    """The log of so many nodes with a processor and four GPUs each, whose counters are told together."""
    gpus = {**SOURCE, "source": "nvml", "scope": "device", "device": "gpu", "wraps_at": None}
    together = {"counters": 4 * number, "nodes": number, **changes}
    head = [{**SOURCE, "counters": number, "nodes": number}, {**gpus, **together}]
    readings = []
    for at, moment in enumerate(("run_start", "run_stop")):
        value = {"time_ms": [at * 1000 + 7] * 2, "earliest_ms": [at * 1000] * 2, "joules": [at * 1e6, at * 4e7]}
        readings.append((value, {"moment": moment, "gap_seconds": 1.0}))
    return told(head, *readings)


def test_a_machine_of_65536_accelerators(told):
    log = read_large(told, 16_384)
    found = live_of(log)
    assert (found.faults, len(found.readings)) == ((), 2)
    assert found.sources[1][6:] == (65_536, 16_384)
    assert coverage_of(log) == Coverage(3, "component", 16_384, 1, 4, 0)
    assert shortfall(coverage_of(log), 16_384, 1, 4) is None
    assert shortfall(coverage_of(log), 16_385, 1, 4) == ("counters of 16384 nodes", "counters of 16385")
    assert energy_of(log, timeline(passing=1)).joules == 4.1e7


@pytest.mark.parametrize(
    ("name", "value", "sound"),
    sides(("counters", [4 * 16_384], [0, 1.0, True, 1 << 25]), ("nodes", [16_384], [3])),  # 3: not as many on each
)
def test_numbers_that_an_entry_stands_for(told, name, value, sound):
    found = live_of(read_large(told, 16_384, **{name: value}))
    assert (found.faults == ()) is sound and bool(found.readings) is sound


def test_few_counters_are_each_told_by_themselves(told):
    """So that ENE09 finds each device."""
    wanted = "each by itself: only more than 256 are told together"
    assert live_of(read_large(told, 51)).faults == ((3, "equal counters told together", wanted),)
    assert live_of(read_large(told, 52)).faults == ()


def test_tiers():
    assert tier_of([source("node"), source("node", "n2")]) == "node"
    assert tier_of([source("package"), source("device")]) == tier_of([source("module")]) == "component"
    assert tier_of([source("node"), source("package", "n2")]) == ""


FULL = Coverage(1, "component", 2, 2, 4, 0)
MIXED = "nodes measured as a whole, and others by their components"


@pytest.mark.parametrize(
    ("changes", "machine", "found"),
    [
        *(({}, machine, None) for machine in ((2, 2, 4), (1, 1, 3), (None, None, None))),
        ({}, (3, 2, 4), ("counters of 2 nodes", "counters of 3")),
        ({}, (2, 3, 4), ("counters of 2 processors a node", "counters of 3")),
        ({}, (2, 2, 5), ("counters of 4 accelerators a node", "counters of 5")),
        ({"packages": 0}, (2, None, 4), ("counters of 0 processors a node", "counters of 1")),
        ({"tier": "node", "packages": 0, "devices": 0}, (2, 2, 4), None),
        ({"tier": ""}, (2, 2, 4), (MIXED, "the same on every node")),
        ({"failed": 1}, (2, 2, 4), ("1 counter that could not be read to the end", "none")),
    ],
)
def test_what_is_left_out(changes, machine, found):
    assert shortfall(FULL._replace(**changes), *machine) == found


@pytest.mark.parametrize(
    ("name", "value", "sound"),
    sides(
        ("node", ["n" * 200], ["n" * 201, " "]),
        ("device", ["p"], [7]),
        ("wraps_at", [5e-324], [0, -0.5]),
        ("limit_watts", [0.5], [0, True]),
        ("scope", ["package"], ["rack", "device"]),  # RAPL counts packages
        ("source", ["mine", "rapl"], ["nvml"]),  # another program may count them, NVML counts devices
    ),
)
def test_a_counter_is_named_and_its_numbers_are_above_zero(told, name, value, sound):
    found = live_of(told([SOURCE, {**SOURCE, name: value}]))
    assert (len(found.sources), len(found.faults)) == ((2, 0) if sound else (0, 1))


def test_counters_are_so_many_and_failed_unless_read(told, monkeypatch):
    monkeypatch.setattr(energy, "MOST_SOURCES", 2)
    for number, faults in ((2, 0), (3, 1)):
        found = live_of(told([SOURCE] * number))
        assert len(found.faults) == faults and len(found.sources) == (0 if faults else 2)
    two = [SOURCE, {**SOURCE, "device": "q"}]
    assert coverage_of(told(two)) == Coverage(3, "component", 1, 2, 0, 2)
    reading = {"time_ms": [1, 1], "joules": [0.0, None]}, {"moment": "run_start", "gap_seconds": 0}
    assert coverage_of(told(two, reading)).failed == 1


@pytest.mark.parametrize(
    ("names", "value", "sound"),
    sides(
        ("times", [[5], [0], [(1 << 53) - 1]], [[-1], [1 << 53], [1.0], []]),
        ("joules", [[None], [0], [9e17]], [[-1e-9], [1e18], [True]]),
        ("times joules", [], [[1, 1]]),
        ("gap", [1, 0.0], [-0.5, None]),
        ("moment", ["run_start"], ["noon", ["run_start"]]),
    ),
)
def test_a_reading_has_a_time_and_joules_of_every_counter(told, names, value, sound):
    said = {"times": [5], "joules": [1.0], "moment": "run_start", "gap": 1, **dict.fromkeys(names.split(), value)}
    value = {"time_ms": said["times"], "joules": said["joules"]}
    found = live_of(told([SOURCE], (value, {"moment": said["moment"], "gap_seconds": said["gap"]})))
    assert (len(found.readings), [line for line, *_ in found.faults]) == ((1, []) if sound else (0, [4]))


def test_a_run_without_an_end_needs_a_reading_of_each_event(logs):
    events = [logs.event(2, "run_start"), logs.event(3, "epoch_start"), logs.event(9, "epoch_start")]
    assert [e.line for e in energy.edges(logs.read(*events))] == [2, 3, 9]
    found = [e.line for e in energy.edges(logs.read(*events, logs.event(5, "run_stop")))]
    assert sorted(found) == [2, 3, 5]
