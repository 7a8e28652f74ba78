"""EVL: evaluations that don't say, cover or reach what they must; scores that are no numbers of theirs."""

import copy
import math
from dataclasses import replace

import pytest

from benchmark.metric import mean
from compliance.families import evaluation as checks
from compliance.reading.log import Log
from compliance.reading.timeline import Scored
from rules.edition import load
from tests.compliance import made
from tests.compliance.families.damages import damage, event_changed, log_changed
from tests.compliance.logs import START, event, good, read, recount
from tests.compliance.made import OURS, scores, timeline


@damage
def no_epoch_and_no_evaluation(tree):
    """LOG12 and DATA08 look at what comes with them."""
    kept = ("epoch_start", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy", "tracked_stats")
    log = tree.logs[2]
    log.events = [event for event in log.events if event["key"] not in kept]
    tree.write(2)
    stop = log.line_of("run_stop")
    return [("result_2.txt", stop, "EVL03"), ("result_2.txt", stop, "EVL08")]


score_true = event_changed("EVL04", "eval_accuracy", nth=4, value=True)
aborted_with_the_target = event_changed("EVL08", "run_stop", metadata={"status": "aborted"})
target_lowered = event_changed("EVL10", "target", value=0.9)
evaluation_of_half_the_split = event_changed("EVL11", "eval_stop", nth=1, metadata={"samples_count": 2})
counts_missing = event_changed("EVL12", "eval_accuracy", nth=1, metadata={"predicted": None})
sum_of_more_than_the_samples_can_have = event_changed(
    "EVL13", "eval_error", of="mean", nth=1, metadata={"sums": [0.5, 4.001]}
)
two_scores_of_one_evaluation = log_changed(
    "EVL01", lambda tree, log: tree.inserted(log.all("epoch_start")[2], dict(log.all("eval_accuracy")[1]))
)
score_improved = log_changed(
    "EVL05", lambda tree, log: tree.changed("eval_accuracy", nth=1, value=log.all("eval_accuracy")[1]["value"] + 0.01)
)
run_stop_earlier_than_the_evaluation = log_changed(
    "EVL06", lambda tree, log: tree.changed("run_stop", time_ms=log.all("eval_start")[-1]["time_ms"])
)
score_before_its_evaluation = log_changed(
    "EVL15", lambda tree, log: tree.moved(log.all("eval_accuracy")[1], log.all("eval_start")[1])
)
another_metric_beside_the_benchmarks = log_changed(
    "EVL14",
    lambda tree, log: tree.inserted(
        log.one("eval_accuracy"), log.one("eval_accuracy") | {"key": "eval_error", "value": 0.0}
    ),
)
target_met_only_after_run_stop = log_changed(
    "EVL06", lambda tree, log: tree.moved(log.one("run_stop"), log.all("eval_accuracy")[-1])
)


@log_changed("EVL02")
def epoch_left_out(tree, log):
    tree.removed("epoch_start", "tracked_stats", "epoch_stop", "eval_start", "eval_stop", "eval_accuracy", epoch=3)
    return log.line_of("epoch_start", 2)


@damage
def intermediate_evaluations_deleted(tree):
    log = tree.logs[2]
    for epoch in (2, 3):
        tree.removed("eval_start", "eval_stop", "eval_accuracy", epoch=epoch)
    return [("result_2.txt", log.line_of("epoch_start", i), "EVL03") for i in (1, 2)]


@damage
def epochs_after_the_target(tree):
    qualities = (0.5, 0.7, 0.995, 0.6, 0.996)
    log = tree.logs[2] = good(2, qualities)
    return [("result_2.txt", tree.written(log.all("eval_accuracy")[3]), "EVL09")]


@damage
def background_missed_more_often_than_another_class_was_taken(tree):
    """One more of its voxels is missed or taken for it than are missed of all classes."""
    metadata = tree.logs[2].all("eval_accuracy")[1]["metadata"]
    hits, predicted, true = (list(metadata[name]) for name in ("intersection", "predicted", "true"))
    hits[0] = predicted[0] - (sum(true[1:]) - sum(hits[1:])) - 1
    return [("result_2.txt", tree.changed("eval_accuracy", nth=1, metadata={"intersection": hits}), "EVL12")]


@damage
def one_run_that_missed_its_target(tree):
    tree.logs[1] = good(1, (0.5, 0.7, 0.8))
    tree.write(1)
    return [("result_1.txt", len(tree.logs[1].events), "EVL07")]


def recounted(*changes):
    """A damage: the second evaluation of a run has other counts of samples, (sample, class, which, by), and what
    follows from them."""

    @damage
    def entry(sampled):
        event = sampled.logs[2].all("eval_accuracy")[1]
        rows = copy.deepcopy(event["metadata"]["counts"])
        for sample, of, which, by in changes:
            rows[sample][of][which] += by
        recount(event, rows)
        return [("result_2.txt", sampled.written(event), "EVL16")]

    return entry


more_hits_than_voxels_of_a_sample = recounted((0, 1, 0, 2482))  # the other samples make up for it
true_voxels_that_were_not_read = recounted((3, 2, 2, 1))
true_voxels_moved_between_samples = recounted((0, 0, 2, 5), (1, 0, 2, -5))
a_sample_without_counts = log_changed(
    "EVL16",
    lambda sampled, log: sampled.changed(
        "eval_accuracy", nth=1, metadata={"counts": log.all("eval_accuracy")[1]["metadata"]["counts"][:3]}
    ),
)


@damage
def sums_that_the_samples_do_not_give(sampled):
    """The score follows from the sums."""
    event = sampled.logs[2].all("eval_accuracy")[1]
    sums = event["metadata"]["sums"]
    sums[0] = math.nextafter(sums[0], 0)
    event["value"] = mean(sums, 4)
    return [("result_2.txt", sampled.written(event), "EVL16")]


def test_a_run_that_is_aborted_anywhere_is_honest(tree, found):
    """SIGTERM may come after any event of the run; nothing is found but that it did not converge."""
    log = tree.logs[2]
    events = list(log.events)
    first = events.index(log.one("run_start")) + 1
    for cut in range(first, len(events) - 2):
        log.events = events[:cut]
        log.time_ms = events[cut - 1]["time_ms"]
        log.stop("run_stop", status="aborted", epoch_num=1, reason="SIGTERM")
        tree.write(2)
        assert found(tree.path(2)) == [("result_2.txt", cut + 1, "EVL07")], events[cut - 1]


@pytest.mark.parametrize(("line", "beyond", "found"), [(4, 0, []), (4, 1, [4]), (2, -20_000, []), (1, -20_000, [1])])
def test_evl15_a_score_comes_within_its_evaluation_or_soon_after(line, beyond, found):
    limit = int(OURS.limits.clock.stop_delay * 1000)
    score = Scored(event(line, "score", START + limit + beyond), 1, False)
    log = read(event(2, "eval_start", epoch_num=1), event(3, "eval_stop", epoch_num=1))
    faults = checks.scores_follow_their_evaluations(log, terms(), timeline(scores=[score]))
    assert [fault.line for fault in faults] == found


ROUND = load("mlperf-hpc-v2.0")


def terms(edition=OURS, benchmark="scaffold", **changes):
    return made.terms(edition, benchmark, **{"target": 0.95, **changes})


def found_in(check, *events, edition=OURS, time=None, **changes):
    """The lines of what a check finds in events (key, epoch)."""
    log = read(*(event(i, key, value=0.5, epoch_num=epoch) for i, (key, epoch) in enumerate(events, 1)))
    where = terms(edition, "scaffold" if edition is OURS else "deepcam", **changes)
    return [fault.line for fault in check(log, where, time or timeline())]


@pytest.mark.parametrize(
    ("parts", "epochs", "wrong"),
    [
        (1, (0, 1, 2), []),
        (1, (1, 2, 3), []),
        (1, (2, 3), [1]),
        (1, (1, 3, 5), [2, 3]),
        (1, (1, 2.0000001), [2]),
        (1, (1, "x", 3), [2]),
        (1, (1, 10**400, 3), [2]),
        (4, (0.25, 0.5, 0.75, 1, 1.25), []),
        (4, (0.25, 0.75, 1), [2]),
        (4, (0, 0.25), [1]),
        (3, (0.333333333, 0.666666667, 1.0), []),
    ],
)
def test_evl02_epochs_count_from_0_or_1_and_parts_of_them_up_to_1(parts, epochs, wrong):
    check, events = checks.epochs_are_consecutive, [("epoch_start", n) for n in epochs]
    assert found_in(check, *events, evaluations_per_epoch=parts) == wrong
    assert found_in(check, *events, edition=ROUND, evaluations_per_epoch=parts) == wrong[:1]
    assert found_in(check, *events, epoch_num="samples") == []


@pytest.mark.parametrize(
    ("events", "lines", "aborted"),
    [
        ([("epoch_start", 1)], [1], []),
        ([("epoch_start", 1), ("epoch_start", 2), ("eval_start", 2)], [1], [1]),
        ([("epoch_start", 1), ("eval_start", 1), ("epoch_start", 2)], [3], []),  # it was being trained
        ([("epoch_start", 1), ("eval_start", 1), ("eval_start", 2)], [3], [3]),
    ],
)
def test_evl03_each_epoch_is_evaluated_once(events, lines, aborted):
    stop = event(99, "run_stop")
    for passing, stopped, wanted in ((None, None, lines), ("some", stop, lines), (None, stop, aborted)):
        time = timeline(stop=stopped, passing=passing)
        assert found_in(checks.epochs_are_evaluated_once, *events, time=time) == wanted


@pytest.mark.parametrize(("lower", "best"), [(True, "0.25"), (False, "0.75")])
def test_evl07_tells_the_best_score_and_where_the_target_lies(lower, best):
    time = timeline(inside=scores(0.5, 0.25, "1", 0.75))
    (fault,) = checks.run_reaches_its_target(Log("", last_line=9), terms(lower=lower), time)
    assert (fault.line, fault.found.split()[-1]) == (9, best)
    assert fault.wanted.startswith("at most" if lower else "at least")
    (fault,) = checks.run_reaches_its_target(None, terms(), timeline(9, inside=scores("1")))
    assert (fault.line, fault.found.split()[0]) == (7, "no")


@pytest.mark.parametrize(("status", "found"), [("success", []), ("aborted", []), ("done", ["success or aborted"])])
def test_evl08_without_a_target_a_status_is_one_of_two(status, found):
    time, where = timeline(stop=event(9, "run_stop", status=status), scores=[0.5]), terms(target=None)
    assert [f.wanted for f in checks.status_agrees_with_scores(None, where, time)] == found
    assert list(checks.run_reaches_its_target(None, where, time)) == []


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ([], []),
        ([(7, 3), (8, 4)], [(7, "2 more evaluations after the target was met in line 5")]),
        ([(7, 2)], []),
        ([(5, 3), (6, 4)], [(6, "1 more evaluation after the target was met in line 5")]),  # one in its line
    ],
)
def test_evl09_nothing_is_evaluated_behind_the_passing_epoch(more, found):
    """It is epoch 2."""
    inside = [Scored(made.event("score", line), epoch, True) for line, epoch in [(1, 1), (5, 2), *more]]
    faults = checks.run_ends_with_the_passing_evaluation(None, terms(), timeline(passing=inside[1], inside=inside))
    assert [(fault.line, fault.found) for fault in faults] == found


@pytest.mark.parametrize(
    ("limits", "shown"),
    [
        ({"score_min": 0.0, "score_max": None, "score_above": None}, "a finite number from 0"),
        ({"score_min": 0.0, "score_max": 1.0, "score_above": 0.0}, "a finite number above 0 to 1"),
    ],
)
def test_evl04_tells_the_range_of_a_score(limits, shown):
    time = timeline(scores=scores(-1.0, True))
    faults = list(checks.scores_are_numbers(None, terms(**limits), time))
    assert [(fault.wanted, fault.severity) for fault in faults] == [(shown, "")] * 2
    mild = checks.scores_are_numbers(None, terms(ROUND, "deepcam", **limits), time)
    assert [fault.severity for fault in mild] == ["warning", ""]  # a training may diverge; `true` is no score


@pytest.mark.parametrize(
    ("intersection", "predicted", "found"),
    [
        ([90, 6, 4], [90, 6, 4], []),
        ([90, 5, 4], [91, 5, 4], []),  # one is taken for the background
        ([90, 5, 3], [91, 6, 4], ["101 predicted voxels in all, but 100 true ones"]),
        ([90, 6, 1], [92, 8, 0], ["class 2: 1 hits, 0 voxels"]),
    ],
)
def test_evl12_counts_may_be_perfect_and_hits_are_no_more_than_voxels(intersection, predicted, found):
    counts = {"intersection": intersection, "predicted": predicted, "true": [90, 6, 4]}
    time = timeline(scores=[Scored(event(5, "eval_accuracy", value=0.9, **counts), 1, False)])
    faults = checks.counts_are_possible(None, terms(problem=made.published()), time)
    assert [fault.found for fault in faults] == found


def test_evl03_an_epoch_that_is_evaluated_again_names_the_first_time():
    log = read(*(event(line, "eval_start", epoch_num=1) for line in (3, 5, 8)))
    log.events["epoch_start"] = [event(2, "epoch_start", epoch_num=1)]
    faults = checks.epochs_are_evaluated_once(log, terms(), timeline())
    assert [(f.line, f.wanted) for f in faults] == [(n, "only the evaluation of line 3") for n in (5, 8)]


@pytest.mark.parametrize(
    ("values", "epochs", "ours", "tolerated"),
    [
        ((0.5, 0.6), (1, 1), [2], []),  # such rounds may evaluate an epoch several times
        ((0.5, 0.5, 0.5, 0.5), (1, 1, 2, 2), [2, 4], [2]),
        ((0.5, 0.5, 0.5, 0.5), (None, None, 1, 1), [4], [4]),  # LOG10 names those of no epoch
    ],
)
def test_evl01_an_evaluation_logs_one_score(values, epochs, ours, tolerated):
    time = timeline(scores=scores(*values, epochs=epochs))
    assert found_in(checks.evaluations_log_one_score, time=time) == ours
    assert found_in(checks.evaluations_log_one_score, edition=ROUND, time=time) == tolerated


def test_evl01_an_evaluation_without_a_score_is_named():
    events = [("eval_start", n) for n in (1, 2, None, 3)]
    time = timeline(scores=scores(0.5))
    assert found_in(checks.evaluations_log_one_score, *events, time=time) == [2, 4]
    assert found_in(checks.evaluations_log_one_score, *events, edition=ROUND, time=time) == [2]
    aborted = replace(time, stop=event(9, "run_stop"))
    assert found_in(checks.evaluations_log_one_score, *events, time=aborted) == []


def of_sums(*sums, value=0.5):
    """Terms of a mean over four samples of two outputs, from 0 to 1, and scores with these sums."""
    limits = {"score": "mean", "score_min": 0.0, "score_max": 1.0, "score_above": None}
    events = [event(line, "eval_error", value=value, sums=each) for line, each in enumerate(sums, 1)]
    where = terms(**limits, problem=made.published(outputs=2))
    return where, timeline(scores=[Scored(event, 1, False) for event in events])


@pytest.mark.parametrize(("ulps", "found"), [(4, []), (-4, []), (5, [1]), (-5, [1])])
def test_evl05_a_mean_may_differ_by_four_units_in_its_last_place(ulps, found):
    where, time = of_sums([2.0, 2.0], value=0.5 + ulps * math.ulp(0.5))
    assert [f.line for f in checks.scores_follow_from_counts(None, where, time)] == found
    assert list(checks.scores_follow_from_counts(None, replace(where, problem=None), time)) == []


def test_evl13_each_sum_is_within_what_the_samples_can_have():
    where, time = of_sums(None, [0.0, 4.0], [-1e-9, 4.0], [0.0, 4.1], [1.0])
    assert [(f.line, f.found, f.wanted) for f in checks.sums_are_possible(None, where, time)] == [
        (1, "sums None", "a list of 2 finite numbers, one an output"),
        (3, "a sum of -1e-09 over 4 samples", "0 or more, at most 4"),
        (4, "a sum of 4.1 over 4 samples", "0 or more, at most 4"),
        (5, "sums [1.0]", "a list of 2 finite numbers, one an output"),
    ]
