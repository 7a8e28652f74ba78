"""Where the time of a run went."""

from types import SimpleNamespace

import pytest

from results.runs.decomposition import PARTS, decompose, epoch_count, first_epoch, is_beside, kinds, staged_before


def test_scaffold_run(new_log, read):
    run = read(new_log.scaffold(10.0, epochs=4, seed=2**62))
    assert run.window[1] - run.window[0] == 10_000
    assert epoch_count(run) == 4
    assert decompose(run) == {
        "total_ms": 10_000,
        "staging_ms": 500,
        "training_ms": 4 * 1112,
        "evaluation_ms": 4 * 1112,
        "rest_ms": 10_000 - 500 - 8 * 1112,
    }


def test_evaluations_beside_training_hold_the_edge_of_an_epoch():
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
    assert decompose(run)["staging_ms"] == 30 and decompose(run)["total_ms"] == 30 + 110 + 15 + 3


def test_staging_that_no_log_tells_apart_is_unknown_and_not_zero(new_log, read):
    """As found: logs that stage beside training, or log no staging, were held to have staged for 0 s."""
    for run in (read(staged(new_log, 40, 30, synchronous=False)), read(new_log.header(new_log.Log()).add("run_start"))):
        assert staged_before(run) is None
    run = read(staged(new_log, 40, 30, synchronous=False))
    staging, *others = (decompose(run)[f"{part}_ms"] for part in (*PARTS, "total"))
    assert staging is None and sum(others[:-1]) == others[-1]
    assert "staging" not in [kind for kind, spans in kinds(run).items() if spans]


def test_the_first_epoch_lasts_until_the_second_with_its_evaluation(new_log, read):
    assert first_epoch(read(staged(new_log, 0, 30))) == 70 + 5
    assert first_epoch(read(new_log.scaffold(10.0, epochs=1))) is None
    assert first_epoch(read(new_log.openfold())) is first_epoch(read(new_log.Log())) is None


def test_evaluations_are_no_training_or_unknown_beside_it(new_log, read):
    beside = decompose(read(new_log.openfold()))
    assert beside["total_ms"] == beside["training_ms"] == 78_200
    assert beside["staging_ms"] is beside["evaluation_ms"] is beside["rest_ms"] is None
    log = new_log.header(new_log.Log()).add("run_start")
    for e in range(3):
        log.add("epoch_start", epoch_num=e).add("eval_start", after=10).add("eval_stop", after=5)
        log.add("epoch_stop", after=2).add("eval_error", 0.3 - 0.1 * e, epoch_num=e)
    parts = decompose(read(log.add("run_stop", after=1)))
    assert (parts["evaluation_ms"], parts["training_ms"]) == (15, 36)


def test_no_timed_span_has_no_parts(new_log, read):
    back = new_log.Log().add("run_start").add("run_stop", after=-5)
    for log in (new_log.scaffold(stop=False), back, new_log.Log()):
        run = read(log)
        assert decompose(run) == kinds(run) == {} and epoch_count(run) is None


def test_unclosed_epoch_ends_with_the_run(new_log, read):
    log = new_log.header(new_log.Log()).add("run_start").add("epoch_start", after=10).add("run_stop", after=90)
    assert decompose(read(log))["training_ms"] == 90


@pytest.mark.parametrize(("starts", "count"), [((), None), ((99,), 0), ((100, 150, 199), 3), ((200,), 0)])
def test_epochs_count_that_begin_inside_the_timed_span(starts, count):
    run = SimpleNamespace(window=(100, 200), spans={"epoch": [(start, start + 20) for start in starts]}, parts=1)
    assert epoch_count(run) == count
    run.parts = 2
    assert epoch_count(run) == (count and count / 2)
