import ctypes
import os
import time
from multiprocessing import Pipe

import pytest

from benchmark.workers import TooLate, collect, share, work


def double(root, problem, task):
    """Twice the number of a task; at three, what is done in place of a problem."""
    if task[1] == 3 and problem:
        problem()
    return task[1] * 2


def fail():
    raise ValueError("sample 3 is damaged")


def die():
    os._exit(1)


def hang():
    ctypes.PyDLL(None).sleep(1000)  # keeps Python's lock, as HDF5 does


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
    ("what", "said"), [(fail, "ValueError: sample 3 is damaged"), (die, "a worker process died; [1-5] samples")]
)
def test_a_task_that_fails_and_a_worker_that_dies_are_told(tmp_path, what, said):
    with pytest.raises(ValueError, match=said):
        list(work(double, tmp_path, what, TASKS, 2))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_never_returns_is_told(tmp_path, workers):
    with pytest.raises(TooLate) as late:
        list(work(double, tmp_path, hang, TASKS, workers, seconds=10))
    assert late.value.task == ("train", 3)


@pytest.mark.parametrize("seconds", [float("inf"), 1e10])
def test_a_limit_may_be_longer_than_a_system_waits(seconds):
    receive, send = Pipe(duplex=False)
    for said in ((None, 4), ("done", None)):
        send.send(said)
    assert list(collect({receive: TASKS[:1]}, seconds)) == [4]


@pytest.mark.slow
def test_the_limit_is_of_each_task(tmp_path):
    """Together they take longer."""
    assert list(work(wait_a_second, tmp_path, None, [("train", i) for i in range(12)], 1, seconds=10)) == [*range(12)]
