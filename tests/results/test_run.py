"""Reading one log, and what it achieved."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.outcome import decompose, divide, energy, epoch_count, reached
from results.run import Reading, read_run


def test_scaffold_run(tmp_path, new_log):
    run = read_run(new_log.scaffold(10.0, epochs=4, seed=2**62).write(tmp_path / "result_0.txt"))
    assert run.window[1] - run.window[0] == 10_000
    assert run.value("seed") == 2**62
    assert epoch_count(run) == 4
    parts = decompose(run)
    assert (parts.total, parts.staging) == (10_000, 500)
    assert parts.training == parts.evaluation == 4 * 1112
    assert parts.total == parts.staging + parts.training + parts.evaluation + parts.rest
    hit = reached(run, 0.95)
    assert (hit.epoch, hit.value) == (4, 0.96)
    assert run.faults == ()


def test_convergence_ignores_status_and_looks_at_the_clock(tmp_path, new_log):
    log = new_log.scaffold(reach=False).add("eval_accuracy", 0.99, after=10, epoch_num=5)
    log.lines = [line.replace("aborted", "success") for line in log.lines]
    run = read_run(log.write(tmp_path / "a"))
    assert run.status == "success"
    assert reached(run, 0.95) is None  # 0.99 came after run_stop
    assert reached(run, 0.5, higher_is_better=False).value == pytest.approx(0.225)
    assert reached(run, None) is None


def test_lower_is_better_for_errors(tmp_path, new_log):
    log = new_log.header(new_log.Log()).add("run_start")
    for e in range(3):
        log.add("epoch_start", epoch_num=e).add("eval_start", after=10).add("eval_stop", after=5)
        log.add("epoch_stop", after=2).add("eval_error", 0.3 - 0.1 * e, epoch_num=e)
    run = read_run(log.add("run_stop", after=1).write(tmp_path / "a"))
    assert reached(run, 0.2).epoch == 1
    assert run.first_epoch == 0
    assert decompose(run).evaluation == 15
    assert decompose(run).training == 36


def test_no_stop_no_start_and_backward_clock(tmp_path, new_log):
    open_ended = read_run(new_log.scaffold(stop=False).write(tmp_path / "a"))
    assert open_ended.window is None
    assert decompose(open_ended) is None
    assert "0 run_stop" in open_ended.faults[0]
    back = new_log.Log().add("run_start").add("run_stop", after=-5)
    assert "not later" in read_run(back.write(tmp_path / "b")).faults[-1]
    assert read_run(new_log.Log().write(tmp_path / "c")).start is None


@pytest.mark.parametrize("value", ["NaN", "Infinity", "true", '"0.99"', "null", "[1]", "1" + "0" * 400])
def test_values_that_are_no_numbers(tmp_path, new_log, value):
    log = new_log.scaffold(reach=False, values=[0.77])
    log.lines = [line.replace("0.77", value) for line in log.lines]
    run = read_run(log.write(tmp_path / "a"))
    assert run.evaluations == ()
    assert "wanted a finite number" in run.faults[0]


def test_broken_lines_are_not_events(tmp_path, new_log):
    log = new_log.scaffold()
    log.lines[3:3] = [":::MLLOG {", ":::MLLOG []", ':::MLLOG {"key": 3, "time_ms": "x"}', "noise", ":::MLLOG {}"]
    log.lines.append(':::MLLOG {"key": "run_stop", "time_ms": true, "metadata": 7}')
    assert read_run(log.write(tmp_path / "a")).window[1] - read_run(tmp_path / "a").window[0] == 10_000


def test_parts_are_exact_however_spans_lie():
    window = (100, 1000)
    parts = divide(window, [(50, 150), (140, 160)], [(150, 500), (480, 900), (990, 1200)], [(300, 320), (310, 400)])
    assert (parts.staging, parts.evaluation) == (60, 100)
    assert parts.training == (300 - 160) + (900 - 400) + 10
    assert parts.rest == 90
    assert parts.total == 900


spans = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=8)


@settings(deadline=None)  # a busy machine is no fault
@given(spans, spans, spans, st.integers(0, 200), st.integers(1, 200))
def test_parts_are_exact_for_any_spans(staging, epochs, evals, start, length):
    parts = divide((start, start + length), staging, epochs, evals)
    assert parts.staging + parts.training + parts.evaluation + parts.rest == parts.total == length
    moments = range(start, start + length)

    def inside(spans, t):
        return any(a <= t < b for a, b in spans)

    assert parts.staging == sum(inside(staging, t) for t in moments)
    assert parts.evaluation == sum(inside(evals, t) and not inside(staging, t) for t in moments)
    assert parts.rest == sum(not inside([*staging, *epochs, *evals], t) for t in moments)


def test_unclosed_epoch_ends_with_the_run(tmp_path, new_log):
    log = new_log.header(new_log.Log()).add("run_start").add("epoch_start", after=10).add("run_stop", after=90)
    assert decompose(read_run(log.write(tmp_path / "a"))).training == 90


def test_energy_is_the_sum_of_readings_times_steps():
    readings = [Reading(0, 50.0), Reading(1500, 100.0), Reading(2000, 200.0), Reading(9000, 10.0)]
    # from 1000: 100 W for 0.5 s, 200 W for 0.5 s, 10 W until the window ends at 3000
    assert energy(readings, (1000, 3000)) == pytest.approx(50 + 100 + 10)
    assert energy([], (0, 10)) is None
    assert energy([Reading(5, 1.0)], (10, 20)) is None


def test_a_file_that_cannot_be_read_is_a_run_without_a_time(tmp_path):
    run = read_run(tmp_path / "nowhere.txt")
    assert run.window is None
    assert run.faults[0].startswith("cannot be read")
