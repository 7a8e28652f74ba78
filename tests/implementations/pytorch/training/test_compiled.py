"""Runs whose compiler worked, failed, or did either on some ranks."""

import pytest

from implementations.pytorch.training.compiled import log_compiled
from implementations.pytorch.training.stop import Aborted


class Told:
    """A log, and a layout of ranks that could compile or not."""

    def __init__(self, *able, rank=0):
        self.able, self.rank, self.events = list(able), rank, []

    def gather(self, value):
        assert value == self.able[self.rank]
        return self.able

    def event(self, key, value):
        self.events.append((key, value))


@pytest.mark.parametrize(("able", "lines"), [((True, True), 0), ((False, False), 1), ((False,), 1)])
def test_all_ranks_or_none(able, lines, capsys):
    told = Told(*able)
    log_compiled(told, told, able[0])
    assert told.events == [("compiled", all(able))]
    said = capsys.readouterr().err
    assert said.count("\n") == lines and said.count("train.py: kernels are not compiled: ") == lines


def test_one_rank_speaks(capsys):
    told = Told(False, False, rank=1)
    log_compiled(told, told, False)
    assert capsys.readouterr().err == ""


def test_some_ranks_are_refused():
    told = Told(True, False, True, False)
    with pytest.raises(Aborted, match=r"^compile: found kernels that ranks 1, 3 could not compile, wanted all or none"):
        log_compiled(told, told, True)
    assert told.events == []
