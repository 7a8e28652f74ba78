"""Energy: watts times seconds, clipped to the run, from its own log or from all of its instruments."""

import json

import pytest

from compliance.reading.power import SHOWN, Power, is_power, metered, read_instrument

SECOND = 1000
NO_SPANS = {"epoch": [], "eval": []}


def energy(readings, window):
    """Joules over a window, None where no reading tells of it."""
    power = Power(readings)
    return power.joules(*window) if power.within(*window) else None


def joules(log, file, window):
    """Joules of a run over its window."""
    found = metered(log, file, window, NO_SPANS)
    return found and found.joules


@pytest.mark.parametrize(
    ("readings", "watts_seconds"),
    [
        ([(0, 9.0), (10 * SECOND, 100.0)], 1000.0),  # from the start of the window to its end
        ([(5 * SECOND, 100.0), (10 * SECOND, 50.0)], 750.0),
        ([(-5 * SECOND, 7.0), (5 * SECOND, 100.0)], 500.0),  # what was before the window began is not the run's
        ([(5 * SECOND, 100.0), (20 * SECOND, 40.0)], 700.0),  # nor what came after it ended
        ([(5 * SECOND, 100.0), (20 * SECOND, 40.0), (30 * SECOND, 40.0)], 700.0),
        ([(10 * SECOND, 50.0), (5 * SECOND, 100.0)], 750.0),  # in any order
        ([(20 * SECOND, 40.0)], 400.0),  # one after the window says what was drawn in it
        ([(0, 1.0), (SECOND, 10.0), (2 * SECOND, 20.0), (3 * SECOND, 30.0)], 60.0),  # no power after the last
        ([(-1, 100.0), (0, 100.0)], None),  # none inside
        ([], None),
    ],
)
def test_each_reading_holds_since_the_one_before_within_the_window(readings, watts_seconds):
    assert energy(readings, (0, 10 * SECOND)) == watts_seconds


@pytest.fixture
def instruments(tmp_path, logs):
    """Writes an instrument's log beside result_0.txt; the path of that log."""

    def write(name, *events):
        path = tmp_path / "power" / "result_0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f":::MLLOG {json.dumps(e)}\n" for e in events))
        return tmp_path / "result_0.txt"

    return write


@pytest.fixture
def instrument(instruments, tmp_path):
    """Writes the log of a node and reads it again."""

    def read(*events):
        instruments("node_0.txt", *events)
        return read_instrument(tmp_path / "power" / "result_0" / "node_0.txt")

    return read


def test_nodes_and_switches_are_added_each_with_its_factor(logs, instruments):
    instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    instruments("node_1.txt", logs.reading(0, 0.5, "conversion_eff"), logs.reading(10 * SECOND, 300.0))
    instruments("notes.txt", logs.reading(10 * SECOND, 9999.0))
    log = instruments("sw_0.txt", logs.reading(0, 20.0, "interconnect_power_est"))
    assert joules(logs.read(), log, (0, 10 * SECOND)) == 1000 + 1500 + 200


def test_a_node_that_measured_nothing_inside_leaves_no_figure(logs, instruments):
    instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    log = instruments("node_1.txt", logs.reading(-5, 100.0))
    assert joules(logs.read(), log, (0, 10 * SECOND)) is None


def test_epochs_and_evaluations_have_their_own(logs, instruments):
    instruments("node_0.txt", logs.reading(4 * SECOND, 100.0), logs.reading(10 * SECOND, 300.0))
    log = instruments("sw_0.txt", logs.reading(0, 10.0, "interconnect_power_est"))
    spans = {"epoch": [(1 * SECOND, 3 * SECOND), (5 * SECOND, 6 * SECOND)], "eval": [(3 * SECOND, 5 * SECOND)]}
    window = (0, 10 * SECOND)
    assert metered(logs.read(), log, window, spans) == ("meter", 2300.0, 530.0, 420.0)
    within = {**spans, "eval": [(2 * SECOND, 3 * SECOND)]}
    assert metered(logs.read(), log, window, within) == ("meter", 2300.0, None, None)


def test_switches_alone_are_no_figure(logs, instruments):
    log = instruments("sw_0.txt", logs.reading(0, 20.0, "interconnect_power_est"))
    assert joules(logs.read(), log, (0, 10 * SECOND)) is None


def test_readings_in_the_runs_own_log_come_first(logs, instruments):
    log = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    own = logs.read(logs.event(1, "power_reading", 10 * SECOND, {"value": 7.0}))
    assert joules(own, log, (0, 10 * SECOND)) == 70.0


def test_links_are_not_followed(logs, instruments, tmp_path):
    log = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    (tmp_path / "power").rename(tmp_path / "elsewhere")
    (tmp_path / "power").symlink_to(tmp_path / "elsewhere")
    assert joules(logs.read(), log, (0, 10 * SECOND)) is None


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (-1.0, "power_reading -1.0"),
        ("5", "power_reading 5"),
        (True, "power_reading True"),
        ({"value": -1}, "power_reading {'value': -1}"),
    ],
)
def test_watts_that_are_none_are_faults(logs, instrument, value, fault):
    found = instrument(logs.reading(1, 1.0), logs.reading(2, value), logs.reading(3, {"value": 0}))
    assert (found.readings, found.faults) == (((1, 1.0), (3, 0.0)), ((2, fault),))


def test_equal_times_are_in_order_and_earlier_ones_are_not(logs, instrument):
    found = instrument(*(logs.reading(time) for time in (3, 5, 5, 4)))
    assert len(found.readings) == 3 and found.faults == ((4, "time_ms 4 after 5"),)


def test_faults_are_bounded_and_a_file_that_is_not_there_is_one(logs, instrument, tmp_path):
    assert len(instrument(*[logs.reading(i, -1.0) for i in range(3 * SHOWN)]).faults) == SHOWN
    assert read_instrument(tmp_path / "node_7.txt").faults == ((1, "No such file or directory"),)


@pytest.mark.parametrize(
    ("path", "power"),
    [
        ("results/box/strong/scaffold/power/result_0/node_0.txt", True),
        ("results/box/strong/scaffold/power/result_0/sw_0.txt", True),
        ("results/box/strong/scaffold/power/result_0/result_0.txt", False),
        ("results/box/strong/scaffold/power/result_0/node_0.md", False),
        ("results/box/strong/scaffold/power/node_0.txt", False),
        ("docs/power/result_0/node_0.txt", False),
        ("results/power/result_0/node_0.txt", True),
        ("results/power/x", False),
    ],
)
def test_an_instruments_log_is_known_by_its_place(path, power):
    assert is_power(path.split("/")) is power


@pytest.mark.parametrize("time", [-(1 << 53), (1 << 53)])
def test_a_time_that_is_not_exact_is_left_out(time):
    assert Power([(time, 5.0), (3, 1.0)]).times == [3]
    assert Power([(time - 1 if time > 0 else time + 1, 5.0)]).times


def test_the_last_reading_of_a_switch_counts_with_its_factor(logs, instruments):
    instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    estimates = [logs.reading(i, watts, "interconnect_power_est") for i, watts in enumerate((7.0, 20.0))]
    log = instruments("sw_0.txt", logs.reading(0, 0.5, "conversion_eff"), *estimates)
    assert joules(logs.read(), log, (0, 10 * SECOND)) == 1000 + 100


def test_own_readings_without_time_or_watts_do_not_count(logs, instruments):
    log = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    own = [logs.event(1, "power_reading", None, 7.0), logs.event(2, "power_reading", 9, "7")]
    assert joules(logs.read(*own), log, (0, 10 * SECOND)) == 1000


def test_a_link_among_the_instruments_is_left_out(logs, instruments, tmp_path):
    log = instruments("node_0.txt", logs.reading(10 * SECOND, 100.0))
    folder = tmp_path / "power" / "result_0"
    (folder / "node_1.txt").symlink_to(folder / "node_0.txt")
    assert joules(logs.read(), log, (0, 10 * SECOND)) == 1000


def test_a_damaged_line_is_a_fault_and_later_readings_count(logs, instruments, tmp_path):
    path = tmp_path / "power" / "result_0" / "node_0.txt"
    instruments("node_0.txt", logs.reading(1, 1.0), logs.reading(2, 2.0), logs.reading(1, 3.0), logs.reading(4, 4.0))
    first, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, ":::MLLOG x\n", *others]))
    found = read_instrument(path)
    assert found.readings == ((1, 1.0), (2, 2.0), (4, 4.0))
    assert [line for line, _ in found.faults] == [2, 4] and found.faults[1][1] == "time_ms 1 after 2"


def test_a_window_of_no_length_has_no_power():
    assert not Power([(5, 1.0)]).within(3, 3)
