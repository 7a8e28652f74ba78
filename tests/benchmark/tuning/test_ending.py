import pytest

from benchmark.log import LogWriter
from benchmark.tuning.ending import Course, ending
from benchmark.tuning.ending import course as course_of
from tests.support.campaigns import campaign


def course(*scores, start=0, step=1000, stop=None):
    return Course(start, stop, tuple((i, start + step * i, score) for i, score in enumerate(scores, 1)))


@pytest.mark.parametrize("seconds, ended", [(2.999, True), (3, True), (3.001, False)])
def test_a_budget_ends_behind_the_evaluation_that_spends_it(seconds, ended):
    found = ending(campaign(budget={"seconds": seconds}), course(0.1, 0.2, 0.3), [], lower=False)
    assert found == ("its budget of 3 s is over" if seconds == 3 else found) and bool(found) is ended


def test_the_median_of_trials_that_were_over():
    pruned = campaign(pruning={"epochs": 2, "trials": 3, "settled": 2})
    over = [course(0.1, score, stop=-2000 - 1) for score in (0.3, 0.4, 0.5)]
    at = {"start": -2000}

    def found(score, others=over, lower=False):
        return ending(pruned, course(0.9, score, **at), others, lower)

    assert found(0.39).startswith("pruned, 0.39 at epoch 2 is worse than 0.4, the median of 3")
    assert not found(0.4) and not found(0.41)
    assert found(0.41, lower=True) and not found(0.39, lower=True)
    assert not found(0.39, over[:2])  # too few
    assert not ending(pruned, course(0.0, **at), over, False)  # not before its epoch
    # one that had fewer epochs counts by its last
    pruned = campaign(pruning={"trials": 1, "settled": 0})
    assert ending(pruned, course(0.1, 0.15, 0.18), [course(0.2, stop=-1)], False)
    assert not ending(pruned, course(0.1, 0.15, 0.18), [Course(0, -1, ((5, 0, 0.9),))], False)


@pytest.mark.parametrize("stop, counts", [(-2001, True), (-2000, False), (None, False)])
def test_a_trial_counts_once_it_was_over_for_a_while(stop, counts):
    pruned = campaign(pruning={"trials": 1, "settled": 2})
    assert bool(ending(pruned, course(0.1, start=-1000), [course(0.2, stop=stop)], False)) is counts


def test_a_course_leaves_out_scores_without_an_epoch(tmp_path):
    log = LogWriter(tmp_path / "log.txt")
    log.start("run_start")
    for value, metadata in ((0.1, {}), (0.2, {"epoch_num": 1}), ("0.3", {"epoch_num": 2}), (0.4, {"epoch_num": None})):
        log.event("eval_accuracy", value, **metadata)
    log.close()
    with open(tmp_path / "log.txt", "a") as file:
        file.write(':::MLLOG {"key": "eval_accuracy", "value": 0.5, "time_ms": 1, "metadata": 3}\n')
    found = course_of(tmp_path / "log.txt", "eval_accuracy")
    assert [(epoch, score) for epoch, _, score in found.evaluations] == [(1, 0.2)] and found.stop is None
