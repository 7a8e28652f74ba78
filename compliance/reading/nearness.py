"""Find runs whose evaluations are closer to another run's than two trainings come: equal counts, or counts with noise.
And find seeds that are related: close to each other, or evenly spaced.

The search for evaluations takes nearly linear time in their number. Evaluations near each other lie in the same or in
neighbouring cells of a grid, and equal numbers are found in an index. Each cell and each number keeps a limited number
of evaluations, which is enough: whatever is near many is near one of those.
"""

import itertools
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compliance.reading.run import Run
from compliance.reading.series import Row
from compliance.reading.values import total
from rules.limits import Benchmark, Curves, Published

AXES = 3  # dimensions of the grid
KEPT = 32  # evaluations kept of a cell, or with the same number
FARTHEST = float(1 << 53)  # counts are below this
MOST_SPACED = 64  # seeds that are searched for even spacing
STEPS = tuple(itertools.product((-1, 0, 1), repeat=AXES))


@dataclass(frozen=True)
class Near:
    """An evaluation of `run`, in `line`, that is near one of the earlier run `first`. `distance` is the sum of absolute
    differences of their numbers; `equal` of `count` numbers are equal."""

    run: Run
    line: int
    first: Run
    first_line: int
    distance: float
    equal: int
    count: int
    same_epoch: bool
    copied: bool  # whether two trainings never come so near at the same epoch; if not, a person judges


@dataclass(frozen=True)
class Scale:
    """The thresholds for distances. No two trainings come nearer than `reach`; within `doubt` they rarely come at the
    same epoch. `perfect` is the evaluation without an error, near which all runs are alike; () if it is unknown.
    `counts` says whether the numbers are hits and predicted voxels, or sums of a mean."""

    reach: float
    doubt: float
    perfect: tuple[float, ...]
    counts: bool = True

    def tells(self, numbers: tuple[float, ...], times: float, within: float | None = None) -> bool:
        """Return whether an evaluation can tell runs apart that come `within` a distance of each other (or reach):
        whether it is `times` as far from an empty and from a perfect one, and not of one class alone."""
        if any(abs(n) > FARTHEST for n in numbers) or not any(numbers):
            return False
        if self.perfect and len(self.perfect) != len(numbers):
            return False
        least = times * (self.reach if within is None else within)
        if self.perfect and distance(numbers, self.perfect) < least:
            return False
        if self.perfect and self.counts:
            return sum(numbers[len(numbers) // 2 :]) >= least
        # of several classes or outputs, one alone is what a network reaches that knows no other
        return len(numbers) == 1 or sum(abs(n) >= least for n in numbers) > 1

    def places(self, numbers: tuple[float, ...]) -> list[tuple[int, float]]:
        """Return (place, number) of the numbers that can't be equal by chance: neither 0 nor those without an error."""
        perfect = self.perfect or (0.0,) * len(numbers)
        return [(i, n) for i, (n, best) in enumerate(zip(numbers, perfect, strict=True)) if n not in (0.0, best)]


def scale_of(problem: Published, benchmark: Benchmark, curves: Curves) -> Scale | None:
    """Return the scale of a problem's evaluations: for Dice in voxels of the foreground, for a mean score in its sums
    at the target. Return None if evaluations aren't compared, as for a mean with a target of zero."""
    score, counts = benchmark.score or "", problem.class_counts.get("validation")
    share = curves.closest.get(score)
    if not share:
        return None
    wide = max(share, curves.near.get(score, share))
    if score == "dice":
        voxels = sum(counts[1:]) if counts else 0
        perfect = tuple(map(float, counts[1:])) * 2 if counts else ()
        return Scale(share * voxels, wide * voxels, perfect) if voxels >= curves.fewest else None
    outputs = problem.outputs or 1
    unit = problem.target * problem.eval_samples * outputs
    best = benchmark.score_max
    perfect = (best * problem.eval_samples,) * outputs if best and not benchmark.lower else ()
    return Scale(share * unit, wide * unit, perfect, counts=False) if unit else None


def distance(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the sum of absolute differences."""
    return total(abs(a - b) for a, b in zip(one, other, strict=True))


class Index:
    """An index of the evaluations of all runs of one problem, to find near ones."""

    def __init__(self, scale: Scale, curves: Curves):
        self.scale, self.curves = scale, curves
        self.cells: dict[tuple[int, ...], list[tuple[Run, Row]]] = defaultdict(list)
        self.holders: dict[tuple[int, float], list[tuple[Run, Row]]] = defaultdict(list)

    def add(self, run: Run) -> Near | None:
        """Add a run. Return its nearest evaluation to one of a run added before, those of equal epochs first; None if
        none is near."""
        rows = [row for row in run.numbers if self.scale.tells(row[2], self.curves.telling)]
        found = [near for row in rows for near in self._near(run, row)]
        for row in rows:
            self._keep(self.cells[self._cell(row[2])], run, row)
            for place in self.scale.places(row[2]):
                self._keep(self.holders[place], run, row)
        return min(found, key=lambda n: (not n.copied, not n.same_epoch, n.distance), default=None)

    def _near(self, run: Run, row: Row) -> list[Near]:
        cell = self._cell(row[2])
        around = [x for step in STEPS for x in self.cells.get(tuple(map(sum, zip(cell, step, strict=True))), ())]
        shared: Counter[int] = Counter()
        same: dict[int, tuple[Run, Row]] = {}
        places = self.scale.places(row[2])
        for place in places:
            for held in self.holders.get(place, ()):
                shared[id(held[1])] += 1
                same[id(held[1])] = held
        most = self.curves.equal * len(places)
        alike = {key: same[key] for key, count in shared.items() if count > max(most, 1)}
        near = {id(x[1]): x for x in around} | alike
        found = [self._held(run, row, *x, id(x[1]) in alike) for x in near.values()]
        return [n for n in found if n is not None]

    def _held(self, run: Run, row: Row, first: Run, other: Row, alike: bool) -> Near | None:
        """Return how near two evaluations are, None if they aren't."""
        apart, same_epoch = distance(row[2], other[2]), row[1] is not None and row[1] == other[1]
        within = alike or apart <= self.scale.reach
        doubtful = same_epoch and apart <= self.scale.doubt
        if not within and not (doubtful and self.scale.tells(row[2], self.curves.telling, self.scale.doubt)):
            return None
        equal = sum(a == b for a, b in zip(row[2], other[2], strict=True))
        copied = within and same_epoch
        return Near(run, row[0], first, other[0], apart, equal, len(row[2]), same_epoch, copied)

    def _cell(self, numbers: tuple[float, ...]) -> tuple[int, ...]:
        """Return the cell of an evaluation. Its coordinates are sums, which differ by at most the distance."""
        return tuple(math.floor(total(numbers[axis::AXES]) / self.scale.doubt) for axis in range(AXES))

    @staticmethod
    def _keep(held: list[tuple[Run, Row]], run: Run, row: Row) -> None:
        if len(held) < KEPT:
            held.append((run, row))


def close(seeds: Sequence[int], distance: int, modulus: int) -> list[tuple[int, int, int]]:
    """Return (later index, earlier index, difference) of seeds that differ by less than `distance`, but not by 0,
    modulo `modulus`. Each seed is paired with a neighbour, and is the later one at most once."""
    ring = sorted((seed % modulus, index) for index, seed in enumerate(seeds))
    ring += [(ring[0][0] + modulus, ring[0][1])] if len(ring) > 1 else []
    found: dict[int, tuple[int, int]] = {}
    for (below, one), (above, other) in itertools.pairwise(ring):
        if 0 < above - below < distance:
            found.setdefault(max(one, other), (min(one, other), above - below))
    return [(later, earlier, gap) for later, (earlier, gap) in sorted(found.items())]


def evenly_spaced(seeds: Sequence[int], distance: int, modulus: int) -> tuple[int, int, int] | None:
    """Return three of the first MOST_SPACED seeds that are evenly spaced modulo `modulus`, None if there are none. They
    are at least `distance` apart, and the two gaps differ by less than that."""
    ring = sorted({seed % modulus for seed in seeds[:MOST_SPACED]})
    for first in ring:
        for second in ring:
            if min((second - first) % modulus, (first - second) % modulus) >= distance:
                third = _near(ring, (2 * second - first) % modulus, distance, modulus)
                if third not in (None, first, second):
                    return first, second, third
    return None


def _near(ring: list[int], wanted: int, distance: int, modulus: int) -> int | None:
    """Return the seed of a sorted ring that is less than `distance` from `wanted`, or None."""
    at = bisect_left(ring, wanted)
    for seed in (ring[at % len(ring)], ring[at - 1]):
        if min((seed - wanted) % modulus, (wanted - seed) % modulus) < distance:
            return seed
    return None
