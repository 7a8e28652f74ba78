"""Seeds that are related: close to each other, or evenly spaced, around the ring of a modulus."""

import random

import pytest

from compliance.reading.spacing import MOST_SPACED, close, evenly_spaced

RING = 1 << 63
FAR = 1 << 60


@pytest.mark.parametrize(("gap", "found"), [(0, []), (1, [(1, 0, 1)]), (99, [(1, 0, 99)]), (100, []), (101, [])])
def test_close_is_less_than_the_distance_and_not_equal(gap, found):
    assert close([FAR, FAR + gap], 100, RING) == found
    assert close([FAR + gap, FAR], 100, RING) == found


def test_close_around_the_end_of_the_ring():
    assert close([5, RING - 5], 100, RING) == [(1, 0, 10)]
    assert close([FAR, FAR + 3 + 7 * RING], 100, RING) == [(1, 0, 3)]


def test_of_many_each_later_one_is_told_once():
    assert close([FAR + 10, FAR, FAR + 20, FAR + 30, 7], 100, RING) == [(1, 0, 10), (2, 0, 10), (3, 2, 10)]


@pytest.mark.parametrize("seeds", [[], [5], [FAR]])
def test_fewer_than_two_are_not_close(seeds):
    assert close(seeds, 100, RING) == close(seeds, 2 * RING, RING) == []
    assert evenly_spaced(seeds, 100, RING) is None


@pytest.mark.parametrize(("off", "even"), [(-100, False), (-99, True), (0, True), (99, True), (100, False)])
def test_three_are_even_to_less_than_the_distance(off, even):
    found = evenly_spaced([FAR, 3 * FAR, 5 * FAR + off], 100, RING)
    assert (found is not None) == even
    assert not even or sorted(found) == [FAR, 3 * FAR, 5 * FAR + off]


def test_seeds_that_are_close_are_not_called_even():
    assert evenly_spaced([FAR, FAR + 10, FAR + 20], 100, RING) is None
    assert evenly_spaced([FAR, FAR + 100, FAR + 200], 100, RING) is not None


@pytest.mark.parametrize(("distance", "even"), [(0, False), (1, True), (2, False)])
def test_neighbours_are_even_where_only_equal_seeds_are_close(distance, even):
    assert (evenly_spaced([FAR, FAR + 1, FAR + 2], distance, RING) is not None) == even


def test_steps_may_go_round_the_ring():
    step = RING // 2 + 12_345_678_901
    seeds = [(FAR + i * step) % RING for i in range(3)]
    assert evenly_spaced(seeds[::-1], 100, RING) is not None


def test_two_opposite_seeds_are_no_three():
    assert evenly_spaced([0, RING // 2], 100, RING) is None


def test_it_looks_at_so_many_seeds_at_most():
    rng = random.Random(5)
    assert MOST_SPACED == 64
    seeds = [rng.randrange(RING) for _ in range(MOST_SPACED)]
    assert evenly_spaced(seeds, 1 << 20, RING) is None
    third = (2 * seeds[1] - seeds[0]) % RING
    assert evenly_spaced([*seeds, third], 1 << 20, RING) is None
    assert evenly_spaced([*seeds[:-1], third], 1 << 20, RING) is not None


def test_fresh_seeds_are_unrelated():
    rng = random.Random(11)
    assert close([rng.getrandbits(63) for _ in range(20_000)], 1 << 20, RING) == []
    assert not any(evenly_spaced([rng.getrandbits(63) for _ in range(10)], 1 << 20, RING) for _ in range(300))
