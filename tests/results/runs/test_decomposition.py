"""Where the time of a run went."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from results.runs.decomposition import decompose, divide, epoch_count, first_epoch, is_beside, kinds, staged_before
from results.runs.intervals import length


def test_scaffold_run(new_log, read):
    run = read(new_log.scaffold(10.0, epochs=4, seed=2**62))
    assert run.window[1] - run.window[0] == 10_000
    assert epoch_count(run) == 4
    parts = decompose(run)
    assert (parts.total, parts.staging) == (10_000, 500)
    assert parts.training == parts.evaluation == 4 * 1112
    assert parts.total == parts.staging + parts.training + parts.evaluation + parts.rest


def test_evaluations_run_beside_training_where_an_epoch_begins_or_ends_in_one():
    def beside(*evals):
        return is_beside(SimpleNamespace(spans={"epoch": [(0, 10), (10, 20)], "eval": list(evals)}))

    assert not beside() and not beside((2, 4), (10, 20)) and not beside((20, 30))  # inside epochs, and after the last
    assert not beside((10, 12)) and not beside((8, 10))  # from or to the edge
    assert beside((2, 4), (9, 11)) and beside((19, 21))


def staged(new_log, before, on, synchronous=None):
    """A log that stages so many milliseconds before run_start and after it."""
    log = new_log.header(new_log.Log(), synchronous_staging=synchronous).add("staging_start")
    log.add("run_start", after=before).add("staging_stop", after=on)
    for e in (1, 2, 3):
        log.add("epoch_start", epoch_num=e).add("epoch_stop", after=70 if e == 1 else 20, epoch_num=e)
        log.add("eval_start", epoch_num=e).add("eval_stop", after=5, epoch_num=e)
    return log.add("run_stop", after=3)


def test_staging_before_the_clock_is_no_part_of_the_run(new_log, read):
    run = read(staged(new_log, before=400, on=30))
    assert staged_before(run) == 400
    assert decompose(run).staging == 30 and decompose(run).total == 30 + 110 + 15 + 3


def test_staging_that_no_log_tells_apart_is_unknown_and_not_zero(new_log, read):
    """As found: logs that stage beside training, or log no staging, were held to have staged for 0 s."""
    for run in (read(staged(new_log, 40, 30, synchronous=False)), read(new_log.header(new_log.Log()).add("run_start"))):
        assert staged_before(run) is None
    run = read(staged(new_log, 40, 30, synchronous=False))
    parts = decompose(run)
    assert parts.staging is None and parts.training + parts.evaluation + parts.rest == parts.total
    assert "staging" not in [kind for kind, spans in kinds(run).items() if spans]


def test_the_first_epoch_lasts_until_the_second_with_its_evaluation(new_log, read):
    assert first_epoch(read(staged(new_log, 0, 30))) == 70 + 5
    assert first_epoch(read(new_log.scaffold(10.0, epochs=1))) is None
    assert first_epoch(read(new_log.openfold())) is first_epoch(read(new_log.Log())) is None


def test_parts_are_unknown_where_evaluations_run_beside_training(new_log, read):
    parts = decompose(read(new_log.openfold()))
    assert (parts.staging, parts.evaluation, parts.rest) == (None, None, None) and parts.total == parts.training


def test_evaluations_inside_epochs_are_no_training(new_log, read):
    log = new_log.header(new_log.Log()).add("run_start")
    for e in range(3):
        log.add("epoch_start", epoch_num=e).add("eval_start", after=10).add("eval_stop", after=5)
        log.add("epoch_stop", after=2).add("eval_error", 0.3 - 0.1 * e, epoch_num=e)
    parts = decompose(read(log.add("run_stop", after=1)))
    assert (parts.evaluation, parts.training) == (15, 36)


def test_no_timed_span_has_no_parts(new_log, read):
    back = new_log.Log().add("run_start").add("run_stop", after=-5)
    for log in (new_log.scaffold(stop=False), back, new_log.Log()):
        run = read(log)
        assert decompose(run) is None and kinds(run) == {} and epoch_count(run) is None


def test_unclosed_epoch_ends_with_the_run(new_log, read):
    log = new_log.header(new_log.Log()).add("run_start").add("epoch_start", after=10).add("run_stop", after=90)
    assert decompose(read(log)).training == 90


def test_parts_are_exact_however_spans_lie():
    window = (100, 1000)
    spans = divide(window, [(50, 150), (140, 160)], [(150, 500), (480, 900), (990, 1200)], [(300, 320), (310, 400)])
    parts = {kind: length(found) for kind, found in spans.items()}
    assert (parts["staging"], parts["evaluation"]) == (60, 100)
    assert parts["training"] == (300 - 160) + (900 - 400) + 10
    assert parts["rest"] == 90
    assert sum(parts.values()) == 900


drawn = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=8)


@settings(deadline=None)  # a busy machine is no fault
@given(drawn, drawn, drawn, st.integers(0, 200), st.integers(1, 200))
def test_parts_are_exact_for_any_spans(staging, epochs, evals, start, total):
    spans = divide((start, start + total), staging, epochs, evals)
    parts = {kind: length(found) for kind, found in spans.items()}
    assert sum(parts.values()) == total
    moments = range(start, start + total)

    def inside(spans, t):
        return any(a <= t < b for a, b in spans)

    assert parts["staging"] == sum(inside(staging, t) for t in moments)
    assert parts["evaluation"] == sum(inside(evals, t) and not inside(staging, t) for t in moments)
    assert parts["rest"] == sum(not inside([*staging, *epochs, *evals], t) for t in moments)


@pytest.mark.parametrize(
    ("starts", "count"), [((), None), ((99,), 0), ((100,), 1), ((199,), 1), ((200,), 0), ((100, 150, 300), 2)]
)
def test_epochs_count_that_begin_inside_the_timed_span(starts, count):
    run = SimpleNamespace(window=(100, 200), spans={"epoch": [(start, start + 20) for start in starts]}, parts=1)
    assert epoch_count(run) == count
