"""Milestones and scores: what is inside the run, and which score meets the target."""

import math

import pytest

from compliance.reading.terms import Terms
from compliance.reading.timeline import epoch_of, in_range, meets, set_aside, timeline
from rules.limits import Benchmark
from tests.support.sides import sides


def terms(**fields):
    """A benchmark with a target of 0.5 and scores from 0 on."""
    return Terms(None, "probe", Benchmark(runs=1, metric="score", **{"target": 0.5, **fields}), {}, None, "")


@pytest.mark.parametrize(
    ("lower", "value", "met"),
    sides(
        (False, [0.5, math.nextafter(0.5, 1)], [math.nextafter(0.5, 0), math.inf, math.nan, True, "0.9"]),
        (True, [0.5, math.nextafter(0.5, 0)], [math.nextafter(0.5, 1), -0.1]),
    ),
)
def test_a_score_equal_to_the_target_meets_it(lower, value, met):
    assert meets(value, terms(lower=lower)) is met
    assert not meets(value, terms(lower=lower, target=None))


@pytest.mark.parametrize(
    ("limits", "value", "good"),
    sides(
        ({}, [0, 1e300], [-1e-300]),
        ({"score_max": 1}, [1], [math.nextafter(1, 2)]),
        ({"score_above": 0}, [5e-324], [0]),
    ),
)
def test_a_range_includes_its_ends_unless_it_says_above(limits, value, good):
    assert in_range(value, terms(**limits)) is good


@pytest.mark.parametrize(
    ("number", "epoch"),
    [
        *((3, 3), (3.0, 3), (3.5, 3.5), ("3", "3"), (None, None), ([3], "[3]"), ({}, "{}"), (True, "True")),
        *((["x" * length], str(["x" * length])[:80]) for length in (76, 77)),  # known by its beginning
    ],
)
def test_a_whole_float_is_the_integer_of_its_epoch(logs, number, epoch):
    found = epoch_of(logs.event(1, "epoch_start", epoch_num=number))
    assert (found, type(found)) == (epoch, type(epoch)) and hash(found) is not None
    assert epoch_of(logs.event(1, "epoch_start")._replace(metadata=None)) is None


def run(logs, *scores):
    """The timeline of a run from line 2 to line 8, second 1 to second 9, with scores (line, milliseconds, value)."""
    events = [logs.event(line, "score", time, value, epoch_num=line) for line, time, value in scores]
    edges = logs.event(2, "run_start", 1000), logs.event(8, "run_stop", 9000)
    return timeline(logs.read(*edges, *events), terms())


@pytest.mark.parametrize(
    ("line", "time", "inside", "late"),
    [
        *((line, time, True, False) for line, time in ((3, 1000), (7, 9000), (2, 1000), (8, 9000))),
        (7, None, True, False),  # a time that is none can't be outside
        *((line, time, False, False) for line, time in ((3, 999), (1, 5000))),
        *((line, time, False, True) for line, time in ((7, 9001), (9, 5000))),
    ],
)
def test_a_score_is_inside_by_line_and_by_time(logs, line, time, inside, late):
    time_ = run(logs, (line, time, 0.7))
    assert (len(time_.inside) == 1, time_.passing is not None, time_.late is not None) == (inside, inside, late)


def test_the_first_passing_score_inside_counts(logs):
    time = run(logs, (3, 2000, 0.4), (4, 3000, 0.5), (5, 4000, 0.6), (9, 9500, 0.9))
    assert [s.event.line for s in time.scores] == [3, 4, 5, 9] and len(time.inside) == 3
    assert time.passing.event.line == 4 and time.late is None


def test_nothing_is_inside_without_start_nor_late_without_stop(logs):
    score, start = logs.event(3, "score", 2000, 0.7), logs.event(1, "run_start", 1000)
    assert timeline(logs.read(score, logs.event(8, "run_stop", 9000)), terms()).inside == ()
    time = timeline(logs.read(start, score), terms())
    assert time.passing.event is score and time.late is None and time.seconds is None
    ends = logs.event(5, "run_stop", 2500), logs.event(6, "run_stop", 9000)  # of which the first counts
    assert timeline(logs.read(start, *ends), terms()).seconds == 1.5


EPOCH = ("epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "score")


def lines(log, *keys):
    return sorted(e.line for key in keys or log.events for e in log.all(key))


@pytest.mark.parametrize(
    ("finished", "status", "left"),
    [
        (5, "aborted", []),
        (6, "aborted", range(8, 14)),  # a score is never set aside, nor what led to it
        *((5, status, [20]) for status in ("success", None, "Aborted")),
    ],
)
def test_the_epoch_that_was_begun_and_the_aborted_end_are_set_aside(logs, finished, status, left):
    """Of an epoch in lines 2 to 7, `finished` events of another, an end, `resumed`, and the other epoch again."""
    events = [logs.event(1, "run_start"), logs.event(20, "run_stop", status=status)]
    events += [logs.event(21, "resumed", epoch_num=1), logs.event(28, "run_stop", status="success")]
    for epoch, first, number in ((1, 2, 6), (2, 8, finished), (2, 22, 6)):
        events += [logs.event(first + i, key, epoch_num=epoch) for i, key in enumerate(EPOCH[:number])]
    log = logs.read(*events)
    set_aside(log, "score")
    assert lines(log) == [*range(1, 8), *left, *range(21, 29)]


@pytest.mark.parametrize(
    ("scores", "resumed", "left"), [((2, 6), (), [1, 3, 5, 7, 9]), ((2, 6), (4, 8), [1, 5, 9]), ((), (4,), [5, 7, 9])]
)
def test_each_interruption_sets_aside_its_own(logs, scores, resumed, left):
    """Before the first score, that is everything."""
    told = {"epoch_start": (1, 3, 5, 7, 9), "score": scores, "resumed": resumed}
    log = logs.read(*(logs.event(line, key) for key, lines in told.items() for line in lines))
    set_aside(log, "score")
    assert lines(log, "epoch_start") == left
