"""Several processes at once: how many, in which order, and what ends them."""

import pytest

from implementations.pytorch.submitting.several import run_all, running


class Process:
    """Ends with an exit code after `looks` looks."""

    def __init__(self, code=0, looks=2):
        self.code, self.looks, self.ended = code, looks, False

    def poll(self):
        self.looks -= 1
        return self.code if self.looks <= 0 else None

    def wait(self, timeout=None):
        return self.code

    def terminate(self):
        self.ended = True

    kill = terminate


@pytest.mark.parametrize("most", [1, 2, 5])
def test_all_are_run_at_most_so_many_at_once(most):
    begun, over, largest = [], [], []

    def begin(number):
        begun.append(number)
        largest.append(len(begun) - len(over))
        return Process(number)

    assert run_all(range(5), most, begin, lambda number, code: bool(over.append((number, code))))
    assert begun == [0, 1, 2, 3, 4] and sorted(over) == [(n, n) for n in range(5)] and max(largest) == most


def test_none_is_started_after_one_that_shows_that_all_would_fail():
    begun = []
    assert not run_all(range(5), 2, lambda number: begun.append(number) or Process(2), lambda _, code: code == 2)
    assert begun == [0, 1]


def test_processes_that_are_left_are_ended():
    process = Process(looks=99)
    with pytest.raises(KeyboardInterrupt), running() as processes:
        processes[0] = process
        raise KeyboardInterrupt
    assert process.ended
