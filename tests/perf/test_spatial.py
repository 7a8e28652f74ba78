"""A rank that fails ends the measurement."""

import multiprocessing
import os

import pytest

from perf.spatial import gathered


def test_what_each_rank_found_is_gathered():
    results = multiprocessing.Queue()
    ranks = [multiprocessing.Process(target=results.put, args=(number,)) for number in range(2)]
    for rank in ranks:
        rank.start()
    assert sorted(gathered(results, ranks)) == [0, 1]


def test_a_rank_that_fails_ends_the_others():
    results, never = multiprocessing.Queue(), multiprocessing.Event()
    ranks = [multiprocessing.Process(target=never.wait), multiprocessing.Process(target=os._exit, args=(3,))]
    for rank in ranks:
        rank.start()
    with pytest.raises(RuntimeError, match="a rank failed"):
        gathered(results, ranks)
    ranks[0].join(20)
    assert ranks[0].exitcode == -9
