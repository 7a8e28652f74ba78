"""Worker processes: every task is done once, and what goes wrong in one is told."""

import ctypes
import os
import time

import pytest

from benchmark.workers import TooLate, share, work


def double(root, problem, task):
    return task[1] * 2


def fail_at_three(root, problem, task):
    if task[1] == 3:
        raise ValueError("sample 3 is damaged")
    return task[1]


def die_at_three(root, problem, task):
    if task[1] == 3:
        os._exit(1)
    return task[1]


def never_return_at_three(root, problem, task):
    if task[1] == 3:
        ctypes.PyDLL(None).sleep(1000)  # keeps Python's lock, as HDF5 does
    return task[1]


def wait_a_second(root, problem, task):
    time.sleep(1)
    return task[1]


TASKS = [("train", i) for i in range(5)]


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_is_done_once(tmp_path, workers):
    assert sorted(work(double, tmp_path, None, TASKS, workers)) == [0, 2, 4, 6, 8]
    assert list(work(double, tmp_path, None, [], workers)) == []
    shares = [share(range(7), rank, 3) for rank in range(3)]
    assert shares == [[0, 3, 6], [1, 4], [2, 5]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "said"),
    [(fail_at_three, "ValueError: sample 3 is damaged"), (die_at_three, "a worker process died; [1-5] samples")],
)
def test_a_task_that_fails_and_a_worker_that_dies_are_told(tmp_path, job, said):
    with pytest.raises(ValueError, match=said):
        list(work(job, tmp_path, None, TASKS, 2))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_never_returns_is_told(tmp_path, workers):
    with pytest.raises(TooLate) as late:
        list(work(never_return_at_three, tmp_path, None, TASKS, workers, seconds=10))
    assert late.value.task == ("train", 3)


@pytest.mark.slow
def test_the_limit_is_of_each_task(tmp_path):
    """Together they take longer."""
    assert list(work(wait_a_second, tmp_path, None, [("train", i) for i in range(12)], 1, seconds=10)) == [*range(12)]
