"""Runs that are near each other: found among very many, without looking at every pair."""

import random
from dataclasses import dataclass, replace

import pytest

from compliance.reading import nearness as module
from compliance.reading.nearness import MOST_SPACED, Index, Scale, close, distance, evenly_spaced, scale_of
from compliance.reading.series import Numbers
from rules.edition import load

EDITION = load("v1.0")
CURVES = EDITION.limits.curves
SCAFFOLD, COSMOFLOW, DEEPCAM, PUBLISHED = (
    EDITION.benchmarks[name] for name in ("scaffold", "cosmoflow", "deepcam", "scaffold_published")
)


@dataclass(frozen=True)
class Fake:
    """A run, as far as its numbers go."""

    name: str
    numbers: Numbers


def fake(name, *evaluations):
    return Fake(name, Numbers([(10 * i, float(i), tuple(map(float, e))) for i, e in enumerate(evaluations, 1)], 100))


SMOKE = scale_of(EDITION.problems["smoke"], SCAFFOLD, CURVES)


def compared(scale, *runs, equal=CURVES.equal):
    """What is near each run of some evaluations among the runs before it, None if nothing is."""
    known = Index(scale, replace(CURVES, equal=equal))
    return [known.add(fake(str(i), *evaluations)) for i, evaluations in enumerate(runs)]


def evaluation(rng, quality=0.6):
    """Hits and predicted voxels of the five classes, as a training of that quality has about."""
    true = EDITION.problems["smoke"].class_counts["validation"][1:]
    hits = [int(t * rng.uniform(quality, quality + 0.2)) for t in true]
    return [*hits, *(int(h + t * rng.uniform(0.1, 0.4)) for h, t in zip(hits, true, strict=True))]


def test_the_scale_is_the_foregrounds_or_the_targets():
    smoke, mini = (EDITION.problems[name] for name in ("smoke", "cosmoflow-mini"))
    assert scale_of(smoke, SCAFFOLD, CURVES).reach == pytest.approx(42.275)
    assert scale_of(mini, COSMOFLOW, CURVES).reach == pytest.approx(1e-4 * 0.124 * 512 * 4)
    assert scale_of(mini, replace(COSMOFLOW, score_max=1.0), CURVES).perfect == ()  # the least error is the best
    assert scale_of(smoke, replace(SCAFFOLD, score=None), CURVES) is None
    assert scale_of(replace(mini, target=0.0), COSMOFLOW, CURVES) is None
    found = scale_of(replace(mini, outputs=0), COSMOFLOW, replace(CURVES, closest={"mean": 0.5}, near={"mean": 1.0}))
    assert (found.reach, found.doubt) == (0.062 * mini.eval_samples, 0.124 * mini.eval_samples)


def test_of_too_few_voxels_chance_decides():
    for counts in ((10**6, CURVES.fewest - 11, 10), ()):
        problem = replace(EDITION.problems["smoke"], class_counts={"validation": counts})
        assert scale_of(problem, SCAFFOLD, CURVES) is None
    problem = replace(problem, class_counts={"validation": (10**6, CURVES.fewest - 10, 10)})
    assert scale_of(problem, SCAFFOLD, CURVES) is not None
    assert scale_of(replace(problem, class_counts={}), SCAFFOLD, replace(CURVES, fewest=1)) is None


@pytest.mark.parametrize(("moved", "near"), [(5, False), (4, True), (1, True)])
def test_equal_counts_are_found_however_far_the_others_are(moved, near):
    first = evaluation(random.Random(2))
    _, found = compared(SMOKE, [first], [[n + 997 * (i < moved) for i, n in enumerate(first)]])
    assert (found is not None) == near
    assert not near or found.equal == 10 - moved


@pytest.mark.slow
def test_a_thousand_runs_take_seconds():
    """Honest runs among themselves have nothing in common; one of them copied with noise is found."""
    rng = random.Random(4)
    known = Index(SMOKE, CURVES)
    runs = [[evaluation(rng, 0.3 + 0.05 * e) for e in range(8)] for _ in range(1000)]
    assert [n for i, run in enumerate(runs) if (n := known.add(fake(str(i), *run))) and n.same_epoch] == []
    found = known.add(fake("copy", *([n + rng.randrange(3) for n in e] for e in runs[500])))
    assert (found.first.name, found.same_epoch) == ("500", True)


@pytest.mark.parametrize(("gap", "copied"), [(0.25, True), (0.26, False), (0.75, False), (0.76, None)])
def test_reach_and_doubt_are_within(gap, copied):
    evaluations = [50.0, 60.0, 70.0, 80.0], [50.0 + gap, 60.0, 70.0, 80.0]
    _, found = compared(Scale(0.25, 0.75, ()), *[[one] for one in evaluations], equal=1.0)
    assert (found and found.copied) == copied
    assert distance([1, 2], [3, -4]) == 8


@pytest.mark.parametrize(("errors", "tells"), [(39, False), (40, True), (41, True)])
def test_so_far_from_perfect_an_evaluation_tells_runs_apart(errors, tells):
    scale = Scale(4.0, 4.0, (100.0, 100.0, 100.0, 100.0))
    assert scale.tells((100.0, 100.0 - errors, 100.0, 100.0), 10) is tells
    assert scale.tells((0.0, 0.0, 0.0, float(errors)), 10) is tells
    assert not scale.tells((0.0, 40.0, 0.0, 39.0), 10)  # hits are no predicted voxels
    assert not scale.tells((0.0, 40.0), 10)  # of fewer classes
    assert not Scale(4.0, 4.0, ()).tells((0.0,), 10)


@pytest.mark.parametrize(("number", "tells"), [(2.0**53, True), (2.0**53 + 2, False), (-(2.0**53) - 2, False)])
def test_numbers_beyond_counts_tell_nothing(number, tells):
    assert Scale(1.0, 1.0, ()).tells((number, 10.0), 10) is tells


@pytest.mark.parametrize("step", [(1, 0, 0), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (-1, -1, -1), (1, -1, 1)])
def test_what_is_near_across_the_edge_of_a_cell_is_found(step):
    first = [100.1 if s < 0 else 100.9 for s in step]
    other = [n + 0.3 * s for n, s in zip(first, step, strict=True)]
    assert compared(Scale(1.0, 1.0, ()), [first], [other])[1] is not None


def test_two_evaluations_of_a_run_in_one_cell_are_both_compared():
    first = [[50.0, 60.0, 70.0], [50.5, 60.0, 70.0]]
    second, third = [[9.0, 90.0, 30.0], [50.6, 60.0, 70.0]], [[50.1, 60.0, 70.0], [1.0, 2.0, 3.0]]
    _, found, other = compared(Scale(0.25, 2.0, ()), first, second, third, equal=1.0)
    assert (found.first_line, found.line, found.copied) == (20, 20, True)
    assert (other.first_line, other.line) == (10, 10)


def test_the_neighbour_of_the_same_epoch_counts_first():
    first, second = [[50.0, 60.0, 70.0], [51.0, 60.0, 70.0]], [[50.9, 60.0, 70.0], [8.0, 9.0, 1.0]]
    _, found = compared(Scale(0.25, 2.0, ()), first, second, equal=1.0)
    assert (found.first_line, found.same_epoch, found.copied) == (10, True, False)
    _, found = compared(
        Scale(0.25, 2.0, ()), [first[0], [50.2, 60.0, 70.0]], [[50.1, 60.0, 70.0], second[1]], equal=1.0
    )
    assert (found.first_line, found.copied) == (10, True)


def test_evaluations_without_an_epoch_and_only_so_many_of_a_place():
    numbers = Numbers([(10, None, (50.0, 60.0, 70.0))], 100)
    known = Index(Scale(0.25, 2.0, ()), CURVES)
    known.add(Fake("a", numbers))
    found = known.add(Fake("b", numbers))
    assert (found.same_epoch, found.copied) == (False, False)
    known = Index(Scale(0.25, 0.25, ()), CURVES)
    for name in range(module.KEPT + 2):
        known.add(fake(str(name), [50.0, 60.0, 70.0]))
    assert {len(held) for held in (*known.cells.values(), *known.holders.values())} == {module.KEPT}


@pytest.mark.parametrize(("equal", "near"), [(1, False), (2, True)])
def test_one_equal_number_is_chance(equal, near):
    numbers = [50.0, 60.0, 70.0][:equal] + [500.0, 600.0, 700.0][equal:]
    _, found = compared(Scale(0.25, 0.25, ()), [[50.0, 60.0, 70.0]], [numbers], equal=0.1)
    assert (found is not None) == near


def test_an_evaluation_of_one_class_alone_tells_nothing():
    """Two networks that know the background alone yet, of different trainings."""
    scale = scale_of(EDITION.problems["deepcam-mini"], DEEPCAM, CURVES)
    least = CURVES.telling * scale.reach
    for number, tells in ((0.012, False), (0.999 * least, False), (least, True)):
        assert scale.tells((54.79, number, 0.0), CURVES.telling) == tells
    assert Scale(0.01, 0.01, (64.0,), counts=False).tells((54.79,), CURVES.telling)


@pytest.mark.parametrize(("errors", "near"), [(39, False), (40, True)])  # ten times the doubt
def test_doubt_grows_with_an_evaluations_errors(errors, near):
    """Of two nearly perfect evaluations, each close to the truth, neither is far from the other."""
    first, other = [980.0, 1000.0 - errors + 20], [980.0 - 1, 1000.0 - errors + 21]
    within = [980.0, 1000.0 - errors + 20.5]  # reach of both
    _, found, copy = compared(Scale(1.0, 4.0, (1000.0, 1000.0)), [first], [other], [within], equal=1.0)
    assert (found is not None) == near and copy.copied


def test_classes_without_an_error_are_equal_in_many_runs():
    """Two runs on the authors' data, of which 3 and 4 classes of 5 had no error."""
    scale = scale_of(EDITION.problems["published4"], PUBLISHED, CURVES)
    assert scale.perfect == (24.0,) * 5
    first, other, perfect = [24.0, 24.0, 24.0, 20.1, 23.2], [24.0, 24.0, 24.0, 22.7, 23.0], [24.0] * 5
    found = compared(scale, [first], [other], [perfect], [perfect], [first])
    assert found[:4] == [None] * 4 and found[4].copied


RING = 1 << 63
FAR = 1 << 60


@pytest.mark.parametrize(
    ("seeds", "distance", "found"),
    [
        *(([FAR, FAR + gap], 100, [(1, 0, gap)] if gap in (1, 99) else []) for gap in (0, 1, 99, 100)),
        ([5, RING - 5], 100, [(1, 0, 10)]),  # around the end of the ring
        ([FAR, FAR + 3 + 7 * RING], 100, [(1, 0, 3)]),
        ([FAR + 10, FAR, FAR + 20, FAR + 30, 7], 100, [(1, 0, 10), (2, 0, 10), (3, 2, 10)]),  # each later one once
        ([5], 2 * RING, []),  # alone
    ],
)
def test_close_is_less_than_the_distance_and_not_equal(seeds, distance, found):
    assert close(seeds, distance, RING) == found


STEP = RING // 2 + 12_345_678_901


@pytest.mark.parametrize(
    ("seeds", "distance", "even"),
    [
        *(([FAR, 3 * FAR, 5 * FAR + off], 100, abs(off) < 100) for off in (-100, -99, 99, 100)),
        ([FAR, FAR + 10, FAR + 20], 100, False),  # these are close
        ([FAR, FAR + 100, FAR + 200], 100, True),
        ([FAR, FAR + 1, FAR + 2], 0, False),
        ([FAR, FAR + 1, FAR + 2], 1, True),
        ([(FAR + i * STEP) % RING for i in (2, 1, 0)], 100, True),  # steps may go round the ring
        ([0, RING // 2], 100, False),  # which are no three
    ],
)
def test_three_are_even_to_less_than_the_distance(seeds, distance, even):
    found = evenly_spaced(seeds, distance, RING)
    assert (found is not None) == even
    assert not even or sorted(found) == sorted(seeds)


def test_it_looks_at_so_many_seeds_at_most():
    rng = random.Random(5)
    seeds = [rng.randrange(RING) for _ in range(MOST_SPACED)]
    assert evenly_spaced(seeds, 1 << 20, RING) is None
    third = (2 * seeds[1] - seeds[0]) % RING
    assert evenly_spaced([*seeds, third], 1 << 20, RING) is None
    assert evenly_spaced([*seeds[:-1], third], 1 << 20, RING) is not None
