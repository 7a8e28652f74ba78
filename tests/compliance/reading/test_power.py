"""Energy: watts times seconds, clipped to the run, from its own log or from all of its instruments."""

import pytest

from compliance.reading.power import SHOWN, Power, is_power, metered, read_instrument
from tests.support.sides import sides

SECOND = 1000
NO_SPANS = {"epoch": [], "eval": []}


def energy_of(log, file):
    """Joules of a run of ten seconds, None if they are unknown."""
    found = metered(log, file, (0, 10 * SECOND), NO_SPANS)
    return found and found.joules


@pytest.mark.parametrize(
    ("readings", "watts_seconds"),
    [
        ([(5 * SECOND, 100.0), (10 * SECOND, 50.0)], 750.0),
        ([(-5 * SECOND, 7.0), (5 * SECOND, 100.0)], 500.0),  # what was before the window began is not the run's
        ([(5 * SECOND, 100.0), (20 * SECOND, 40.0), (30 * SECOND, 40.0)], 700.0),  # nor what came after it
        ([(10 * SECOND, 50.0), (5 * SECOND, 100.0)], 750.0),  # in any order
        ([(20 * SECOND, 40.0)], 400.0),  # one after the window says what was drawn in it
        ([(0, 1.0), (SECOND, 10.0), (2 * SECOND, 20.0), (3 * SECOND, 30.0)], 60.0),  # no power after the last
        ([(-1, 100.0), (0, 100.0), (1 << 53, 5.0)], None),  # none inside, and none at a time that is not exact
    ],
)
def test_each_reading_holds_since_the_one_before_within_the_window(readings, watts_seconds):
    power, window = Power(readings), (0, 10 * SECOND)
    assert (power.joules(*window) if power.within(*window) else None) == watts_seconds
    assert not power.within(3, 3)


@pytest.fixture
def instruments(tmp_path, logs):
    """Writes an instrument's log beside result_0.txt; the path of that log."""

    def write(name, *events):
        logs.Log(events).write(tmp_path / "power" / "result_0" / name)
        return tmp_path / "result_0.txt"

    return write


NODE, FACTOR, SWITCH = "power_reading", "conversion_eff", "interconnect_power_est"
WHOLE = (10, 100.0, NODE)  # seconds, a number, and its key


@pytest.mark.parametrize(
    ("files", "joules"),
    [
        ({"node_0": [WHOLE], "node_1": [(0, 0.5, FACTOR), (10, 300.0, NODE)]}, 1000 + 1500),
        ({"node_0": [WHOLE], "sw_0": [(0, 20.0, SWITCH)], "notes": [(10, 9999.0, NODE)]}, 1000 + 200),
        ({"node_0": [WHOLE], "sw_0": [(0, 0.5, FACTOR), (0, 7.0, SWITCH), (1, 20.0, SWITCH)]}, 1000 + 100),  # the last
        ({"node_0": [WHOLE], "node_1": [(-5, 100.0, NODE)]}, None),  # a node that measured nothing inside
        ({"sw_0": [(0, 20.0, SWITCH)]}, None),  # switches alone
    ],
)
def test_nodes_and_switches_are_added_each_with_its_factor(logs, instruments, files, joules):
    for name, readings in files.items():
        log = instruments(f"{name}.txt", *(logs.reading(at * SECOND, n, key) for at, n, key in readings))
    assert energy_of(logs.read(), log) == joules


@pytest.mark.parametrize(
    ("own", "joules"), [([(10 * SECOND, {"value": 7.0})], 70), ([(None, 7.0)], 1000), ([(9, "7")], 1000)]
)
def test_complete_readings_in_the_runs_own_log_come_first(logs, instruments, own, joules):
    log = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    events = [logs.event(line, NODE, time, value) for line, (time, value) in enumerate(own, 1)]
    assert energy_of(logs.read(*events), log) == joules


def test_epochs_and_evaluations_have_their_own(logs, instruments):
    instruments("node_0.txt", logs.reading(4 * SECOND, 100.0), logs.reading(10 * SECOND, 300.0))
    log = instruments("sw_0.txt", logs.reading(0, 10.0, "interconnect_power_est"))
    spans = {"epoch": [(1 * SECOND, 3 * SECOND), (5 * SECOND, 6 * SECOND)], "eval": [(3 * SECOND, 5 * SECOND)]}
    window = (0, 10 * SECOND)
    assert metered(logs.read(), log, window, spans) == ("meter", 2300.0, 530.0, 420.0)
    within = {**spans, "eval": [(2 * SECOND, 3 * SECOND)]}
    assert metered(logs.read(), log, window, within) == ("meter", 2300.0, None, None)


def test_links_are_not_followed(logs, instruments, tmp_path):
    log, folder = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0)), tmp_path / "power" / "result_0"
    (folder / "node_1.txt").symlink_to(folder / "node_0.txt")
    assert energy_of(logs.read(), log) == 1000
    (tmp_path / "power").rename(tmp_path / "elsewhere")
    (tmp_path / "power").symlink_to(tmp_path / "elsewhere")
    assert energy_of(logs.read(), log) is None


@pytest.mark.parametrize("value", [-1.0, "5", True, {"value": -1}])
def test_watts_that_are_none_are_faults(logs, tmp_path, value):
    path = tmp_path / "node_0.txt"
    assert read_instrument(path).faults == ((1, "No such file or directory"),)
    logs.Log([logs.reading(1, 1.0), logs.reading(2, value), logs.reading(3, {"value": 0})]).write(path)
    found = read_instrument(path)
    assert (found.readings, found.faults) == (((1, 1.0), (3, 0.0)), ((2, f"power_reading {value}"),))
    logs.Log([logs.reading(1, value)] * 3 * SHOWN).write(path)
    assert len(read_instrument(path).faults) == SHOWN


@pytest.mark.parametrize(
    ("home", "path", "power"),
    sides(
        ("results/box/strong/scaffold/power", ["result_0/node_0.txt", "result_0/sw_0.txt"], ["node_0.txt"]),
        ("results/box/strong/scaffold/power/result_0", [], ["result_0.txt", "node_0.md"]),
        ("results/power", ["result_0/node_0.txt"], ["x"]),
        ("docs/power", [], ["result_0/node_0.txt"]),
    ),
)
def test_an_instruments_log_is_known_by_its_place(home, path, power):
    assert is_power(f"{home}/{path}".split("/")) is power


def test_a_damaged_line_is_a_fault_and_later_readings_count(logs, instruments, tmp_path):
    path = tmp_path / "power" / "result_0" / "node_0.txt"
    instruments("node_0.txt", *(logs.reading(at, 1.0) for at in (1, 2, 2, 3, 1, 4)))  # equal times are in order
    first, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, ":::MLLOG x\n", *others]))
    found = read_instrument(path)
    assert [time for time, _ in found.readings] == [1, 2, 2, 3, 4]
    assert [line for line, _ in found.faults] == [2, 6] and found.faults[1][1] == "time_ms 1 after 3"
