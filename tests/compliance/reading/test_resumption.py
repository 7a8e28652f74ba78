"""What an interruption sets aside: what was begun and not finished, and never a score or a success."""

import pytest

from compliance.reading.resumption import set_aside

EPOCH = ("epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "score")


def lines(log, *keys):
    return sorted(e.line for key in keys or log.events for e in log.all(key))


def interrupted(logs, finished=6, **stop):
    """An epoch in lines 2 to 7, `finished` events of another, an aborted end, `resumed`, and the other epoch again."""
    events = [logs.event(1, "run_start")]
    events += [logs.event(2 + i, key, epoch_num=1) for i, key in enumerate(EPOCH)]
    events += [logs.event(8 + i, key, epoch_num=2) for i, key in enumerate(EPOCH[:finished])]
    events += [logs.event(20, "run_stop", **{"status": "aborted", **stop}), logs.event(21, "resumed", epoch_num=1)]
    events += [logs.event(22 + i, key, epoch_num=2) for i, key in enumerate(EPOCH)]
    return logs.read(*events, logs.event(28, "run_stop", status="success"))


def test_the_epoch_that_was_begun_and_the_aborted_end_are_set_aside(logs):
    log = interrupted(logs, finished=5)
    set_aside(log, "score")
    assert lines(log) == [1, *range(2, 8), 21, *range(22, 29)]


def test_a_score_is_never_set_aside_nor_what_led_to_it(logs):
    log = interrupted(logs)
    set_aside(log, "score")
    assert lines(log, "score") == [7, 13, 27]
    assert lines(log) == [1, *range(2, 8), *range(8, 14), 21, *range(22, 29)]


@pytest.mark.parametrize("status", ["success", None, "Aborted"])
def test_only_an_aborted_end_is_set_aside(logs, status):
    log = interrupted(logs, status=status)
    set_aside(log, "score")
    assert lines(log, "run_stop") == [20, 28]


def test_before_the_first_score_everything_is_set_aside(logs):
    log = logs.read(logs.event(2, "epoch_start"), logs.event(3, "resumed"), logs.event(4, "epoch_start"))
    set_aside(log, "score")
    assert lines(log, "epoch_start") == [4]


def test_each_interruption_sets_aside_its_own(logs):
    begun = [logs.event(line, "epoch_start") for line in (1, 3, 5, 7, 9)]
    log = logs.read(
        *begun, logs.event(2, "score"), logs.event(4, "resumed"), logs.event(6, "score"), logs.event(8, "resumed")
    )
    set_aside(log, "score")
    assert lines(log, "epoch_start") == [1, 5, 9]


def test_a_log_without_an_interruption_stays_as_it_is(logs):
    log = logs.read(logs.event(1, "epoch_start"), logs.event(2, "run_stop", status="aborted"))
    before = dict(log.events)
    set_aside(log, "score")
    assert log.events == before
