"""Categories (iterated function systems of two affine maps), their instances, and the search for categories.

`python benchmark/scaffold/category.py --problem smoke` searches again and prints what
benchmark/scaffold/categories.yaml publishes.
"""

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from benchmark import draw
from benchmark.config import read_yaml
from benchmark.problem import load_problem
from benchmark.scaffold import attractor
from benchmark.scaffold.attractor import PARAMETERS
from benchmark.scaffold.problem import Search

CATEGORIES = Path(__file__).with_name("categories.yaml")
FACTORS = (4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16)  # tenths; 10 is the base itself
VARIANTS = PARAMETERS * len(FACTORS)
FINE = (400, 1600)  # thousandths: the range of factors, in which held-out variants take any
GRID = 6  # attractors are measured on a grid of (2^GRID)^3 boxes ...
COARSE = 4  # ... and told apart on one of (2^COARSE)^3
POINTS = 1 << 17  # points that measure an attractor: enough to saturate the grid
QUICK = 1 << 12  # points for a first look
FULL = 1 << 15  # points that give an attractor's bounding box
UNIT = 1 << 12  # parameters are multiples of 1 / UNIT: exact in float32

Maps = tuple[tuple[float, ...], tuple[float, ...]]  # two maps of 12 parameters: matrix by rows, translation


def instance_maps(base: Maps, variant: int) -> np.ndarray:
    """Return the maps of an instance, (2, 12) float32. Variant 0 is the base. Variant 1 + 12 p + f scales parameter p
    of both maps by FACTORS[f] tenths; later variants, those of `fine_variant`, by thousandths. Raises ValueError for
    another variant."""
    maps = np.array(base, dtype=np.float64)
    most = fine_variant(PARAMETERS - 1, FINE[1])
    if maps.shape != (2, PARAMETERS) or not 0 <= variant <= most:
        raise ValueError(f"found maps {maps.shape} and variant {variant}, wanted (2, 12) and 0..{most}")
    if variant > VARIANTS:
        parameter, factor = divmod(variant - VARIANTS - 1, FINE[1] - FINE[0] + 1)
        maps[:, parameter] = maps[:, parameter] * (FINE[0] + factor) / 1000.0
    elif variant:
        parameter, factor = divmod(variant - 1, len(FACTORS))
        maps[:, parameter] = maps[:, parameter] * FACTORS[factor] / 10.0
    return maps.astype(np.float32)


def fine_variant(parameter: int, factor: int) -> int:
    """Return the variant that scales a parameter of both maps by `factor` thousandths, within FINE."""
    return VARIANTS + 1 + parameter * (FINE[1] - FINE[0] + 1) + factor - FINE[0]


def determinant(parameters: tuple[float, ...]) -> float:
    """Return the determinant of a map's matrix, by cofactors of its first row, with the same bits on every machine."""
    a, b, c, d, e, f, g, h, i = parameters[:9]
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


@cache
def reference_walkers() -> np.ndarray:
    """Return the random words of the walkers that measure every attractor."""
    return draw.words(0, draw.REFERENCE, count=QUICK // 4)


def bounding_box(maps: np.ndarray, count: int = FULL) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates of `count` reference points, two float32 arrays (3,)."""
    return extremes(attractor.blocks(maps, reference_walkers(), count))


def extremes(points: Iterator[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest coordinates of blocks of points (3, n), two arrays (3,)."""
    low = next(points).copy()
    high = low.copy()
    for block in points:
        np.minimum(low, block, out=low)
        np.maximum(high, block, out=high)
    return low.min(axis=1), high.max(axis=1)


def bounded(maps: np.ndarray, stretch: float) -> bool:
    """Return whether the attractor is bounded by its points: with eight times as many it is at most `stretch` times as
    large.

    Maps that hardly contract, or do not, send a few points far out, and farther the more points there are.
    """
    low, high = bounding_box(maps, QUICK)
    if not np.all(np.abs(high) + np.abs(low) < 100):
        return False
    wider_low, wider_high = bounding_box(maps, FULL)
    return bool((wider_high - wider_low).max() <= np.float32(stretch) * (high - low).max())


def boxes(maps: np.ndarray, count: int = POINTS, grid: int = GRID) -> tuple[np.ndarray, float]:
    """Return which boxes of a grid around the attractor `count` reference points hit, bool (2^grid,) * 3, and the least
    extent of the attractor over its greatest, in [0, 1]."""
    low, high = bounding_box(maps)
    extent = high - low
    hit = np.zeros((1 << grid,) * 3, dtype=bool)
    scale = np.float32((1 << grid) * 0.999) / extent.max()
    for block in attractor.blocks(maps, reference_walkers(), count):
        z, y, x = np.clip((block - low[:, None]) * scale, 0, (1 << grid) - 1).astype(np.int32)
        hit[z, y, x] = True
    return hit, float(extent.min() / extent.max())


def coarse(hit: np.ndarray) -> np.ndarray:
    """Return which boxes of the coarse grid are hit, from those of the measuring grid."""
    n, k = 1 << COARSE, 1 << (GRID - COARSE)
    return hit.reshape(n, k, n, k, n, k).any(axis=(1, 3, 5))


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    """Return the intersection over union of the boxes that two attractors hit."""
    return np.count_nonzero(a & b) / max(1, np.count_nonzero(a | b))


def contracts(parameters: tuple[float, ...], search: Search) -> bool:
    """Return whether a map passes its part of the acceptance test: it shrinks volumes, but not too much, and the sum of
    its matrix entries' squares (which is that of its singular values' squares) is bounded."""
    squares = 0.0
    for value in parameters[:9]:
        squares = squares + value * value
    low, high = search.determinant
    return squares <= search.squares and low <= abs(determinant(parameters)) <= high


def acceptable(base: Maps, search: Search, others: list[list[np.ndarray]]) -> list[np.ndarray] | None:
    """Return the coarse boxes of a candidate's base and 144 variants if it passes the acceptance test, else None.

    The base and every variant must be bounded, extend in all three directions, and hit a number of boxes within limits.
    One scale is enough for this test, since attractors are self-affine. No instance may be as similar as `likeness` to
    another category's base, and no instance of that category to this base: where coarse boxes differ, so do fine ones.
    `others` are the coarse boxes of the categories accepted so far.
    """
    maps = [instance_maps(base, variant) for variant in range(VARIANTS + 1)]
    if not all(contracts(m, search) for m in base) or not bounded(maps[0], search.stretch):
        return None
    hit, flatness = boxes(maps[0], QUICK, COARSE)
    if flatness < search.extent or np.count_nonzero(hit) < search.quick:
        return None
    found = {}

    def measures(variant: int) -> bool:
        hit, flatness = boxes(maps[variant])
        found[variant] = coarse(hit)
        low, high = search.instance_boxes if variant else search.base_boxes
        sized = flatness >= search.extent and low <= np.count_nonzero(hit) <= high
        return sized and all(likeness(found[variant], other[0]) < search.likeness for other in others)

    if not measures(0) or any(likeness(found[0], i) >= search.likeness for other in others for i in other):
        return None
    greatest, least = 0, 1  # of a variant modulo the factors: try these first, they are the ones to fail
    order = sorted(range(1, VARIANTS + 1), key=lambda v: (v % len(FACTORS) not in (greatest, least), v))
    if not all(bounded(maps[variant], search.stretch) for variant in order) or not all(map(measures, order)):
        return None
    return [found[variant] for variant in range(VARIANTS + 1)]


def candidate(search: Search, number: int) -> Maps:
    """Return candidate `number` of a search: 24 parameters, multiples of 1 / UNIT in [-reach, reach]."""
    raw = draw.words(search.seed, draw.SEARCH, number, count=2 * PARAMETERS)
    reach = int(search.reach * UNIT)
    values = [draw.between(w, -reach, reach) / UNIT for w in raw]
    return tuple(values[:PARAMETERS]), tuple(values[PARAMETERS:])


def find_categories(search: Search, wanted: int) -> Iterator[tuple[int, Maps]]:
    """Yield the first `wanted` candidates that pass, with their numbers, in order."""
    accepted: list[list[np.ndarray]] = []
    number = 0
    while len(accepted) < wanted:
        base = candidate(search, number)
        found = acceptable(base, search, accepted)
        if found is not None:
            accepted.append(found)
            yield number, base
        number += 1


@cache
def load_categories(wanted: int, path: Path = CATEGORIES) -> list[Maps]:
    """Return the first `wanted` published categories. Raises ValueError, naming the file, when there are fewer."""
    published = read_yaml(path)["categories"]
    if len(published) < wanted:
        raise ValueError(f"{path.name}: found {len(published)} categories, wanted {wanted}")
    return [tuple(tuple(float.fromhex(v) for v in m) for m in entry["maps"]) for entry in published[:wanted]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Search for categories; print them as categories.yaml has them.")
    parser.add_argument("--problem", default="smoke", help="whose search limits to use")
    parser.add_argument("--wanted", type=int, default=5, help="how many categories")
    options = parser.parse_args()
    try:
        search = getattr(load_problem(options.problem), "search", None)
        if search is None:
            raise ValueError(f"--problem: found {options.problem}, wanted a problem with a search for categories")
    except ValueError as error:
        print(f"category.py: {error}", file=sys.stderr)
        sys.exit(2)
    print("categories:")
    for number, base in find_categories(search, options.wanted):
        print(f"  - candidate: {number}\n    maps:")
        for parameters in base:
            print(f"      - [{', '.join(repr(value.hex()) for value in parameters)}]", flush=True)


if __name__ == "__main__":
    main()
