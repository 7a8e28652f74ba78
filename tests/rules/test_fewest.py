import math

import pytest
from mlperf_logging.rcp_checker.rcp_checker import RCP_Checker

from rules.edition import load
from rules.fewest import COARSE, allowed, average, evened, kept
from rules.reference import reference_points
from rules.student import above

TEN = [5.2, 4.9, 5.6, 4.4, 5.1, 4.8, 5.3, 4.7, 5.0, 5.4]
ROUNDS = [
    ("mlperf-hpc-v1.0", "1.0.0", ("cosmoflow", "deepcam", "oc20")),
    ("mlperf-hpc-v2.0", "2.0.0", ("cosmoflow", "deepcam", "oc20")),
    ("mlperf-hpc-v3.0", "3.0.0", ("cosmoflow", "deepcam", "oc20", "openfold")),
]


def points(values):
    return reference_points(values, "smoke")


@pytest.mark.parametrize(("edition", "version", "name"), [(e, v, name) for e, v, names in ROUNDS for name in names])
def test_the_published_rounds_have_mlperfs_points_and_limits(edition, version, name):
    """All of its points, of which it keeps some, and at every batch size between these its fewest epochs."""
    theirs, ours = RCP_Checker("hpc", version, name, False), load(edition)
    found, limits = ours.benchmarks[name].reference_epochs, ours.limits.convergence
    known = {p["BS"]: sorted(p["Epochs to converge"]) for p in theirs.rcp_data.values()}
    assert {size: sorted(p.crossings) for size, p in found.items()} == known
    assert list(kept(found)) == [p["BS"] for p in theirs.pruned_rcp_data.values()]
    required = ours.benchmarks[name].runs
    sizes = list(kept(found))
    for batch in {*sizes, *range(sizes[0] + 1, sizes[-1], 37)}:
        record = theirs._find_rcp(batch, "pruned_rcps")
        if record is None:
            low, high = (find(batch, "pruned_rcps") for find in (theirs._find_top_min_rcp, theirs._find_bottom_max_rcp))
            _, record = theirs._create_interp_rcp(batch, low, high)
        allows = allowed(found, batch, required, required, limits.chance, limits.olympic)
        assert allows.least == pytest.approx(record["Min Epochs"], abs=2e-4, rel=1e-6)
        assert allows.mean == pytest.approx(record["RCP Mean"])


def test_outside_of_all_points_nothing_is_checked():
    known = points({2: TEN, 8: TEN[:9]})
    assert allowed(known, 2, 5, 5, 0.001) is not None
    for batch in (1, 9, 8, 4):  # the last two lack a run
        assert allowed(known, batch, 5, 5, 0.001) is None
    assert allowed(points({2: TEN}), 2, 5, 6, 0.001) is None
    assert allowed({}, 2, 5, 5, 0.001) is None
    for runs, olympic, judged in ((0, False, False), (2, True, False), (3, True, True)):  # runs that count
        assert (allowed(points({2: TEN}), 2, runs, 5, 0.001, olympic) is not None) == judged


def test_the_least_mean_is_that_of_students_test():
    allows = allowed(points({2: TEN}), 2, 5, 5, 0.001)
    logs = [math.log(e) for e in TEN]
    mean = sum(logs) / 10
    deviation = math.sqrt(sum((e - mean) ** 2 for e in logs) / 9)
    assert allows.between and allows.geometric and allows.batches == (2,)
    assert allows.mean == pytest.approx(math.exp(mean))
    # 9 degrees of freedom, since the deviation is the points' alone: with 13, 1.9 honest sets in a thousand were found
    assert allows.least == pytest.approx(math.exp(mean - above(0.001, 9) * deviation * math.sqrt(1 / 10 + 1 / 5)))
    assert allowed(points({2: TEN}), 2, 10, 5, 0.001).least > allows.least
    assert allowed(points({2: TEN}), 2, 5, 5, 0.05).least > allows.least


def test_a_fewest_mean_between_points_and_of_whole_epochs():
    allows = allowed(points({2: [5] * 10}), 2, 5, 5, 0.001)
    assert not allows.between and not allows.geometric
    assert allows.least == pytest.approx(5 - above(0.001, 9) * COARSE * math.sqrt(1 / 10 + 1 / 5))
    known = points({2: TEN, 4: [2 * e + 0.01 for e in TEN]})
    middle = allowed(known, 3, 5, 5, 0.001)
    assert middle.batches == (2, 4)
    low, high = (allowed(known, size, 5, 5, 0.001) for size in (2, 4))
    assert middle.mean == pytest.approx(math.sqrt(low.mean * high.mean))
    assert middle.least == pytest.approx(math.sqrt(low.least * high.least))


def test_only_mlperfs_test_leaves_out_points_that_are_not_fastest():
    known = points({2: [9] * 10, 4: [5] * 10, 6: [8] * 10, 8: [7] * 10, 16: [20] * 10})
    assert list(kept(known)) == [4, 8, 16] and list(kept({})) == []
    assert list(kept(points({2: [5] * 10, 4: [7] * 10, 8: [8] * 10}))) == [2, 8]
    outliers = [1, *[5] * 8, 50]  # without the fastest and the slowest, 2 is the fastest; 4 is on the line to 8
    assert list(kept(points({2: outliers, 4: [6] * 10, 8: [8] * 10}))) == [2, 4, 8]
    assert allowed(known, 6, 5, 5, 0.05, True).batches == (4, 8)
    assert allowed(known, 6, 5, 5, 0.05).batches == (6,)


def test_a_slowed_run_counts_as_the_next_slower_one():
    assert evened([4, 9, 5, 30, 6]) == [4, 9, 5, 9, 6] and evened([7]) == [7] and evened([4, 1]) == [4, 1]
    assert evened([4, 9, math.inf]) == [4, 9, math.inf]  # the figure of merit leaves out the failed run


def test_an_average_is_of_the_runs_that_converged_or_olympic():
    assert average([4, 5, 9, math.inf], False) == 6 and average([4, 5, 6, 9], False) == 5.25
    assert average([4, 5, 9, math.inf], True) == 7
    assert average([4, 9, math.inf], False, True) == pytest.approx(6)
    assert average([4, 0], False, True) == average([4, -1], False, True) == 0 and average([4, 1], False, True) == 2
    assert average([4, 5, math.inf, math.inf], True) == math.inf
    assert average([math.inf], False) == average([3, 4], True) == math.inf
