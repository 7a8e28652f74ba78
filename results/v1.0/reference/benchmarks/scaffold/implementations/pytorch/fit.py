"""Which layouts of ranks fit a problem."""

import math
from collections.abc import Iterator

from benchmark.problem import Problem
from implementations.pytorch.layout import AXES, Extents, Layout

SHOWN = 6  # layouts that an error proposes


def arrange(extents: Extents, tile: Extents, problem: Problem, rank: int, ranks: int) -> Layout:
    """The layout of so many ranks, as one of them sees it, before they are connected.

    Raises ValueError that names the wrong extent and proposes layouts, unless its product is `ranks`, every rank's
    box has whole bricks and at least one voxel at the U-Net's coarsest level, and tiles fill it.
    """
    shown = ",".join(map(str, extents))
    proposal = f"; for {ranks} ranks these fit: {'  '.join(propose(problem, ranks))}"
    for name, extent in zip(AXES[1:], extents[1:], strict=True):
        if extent < 1 or most_boxes(problem) % extent:
            raise ValueError(f"layout {shown}: {name}: found {extent}, wanted {limit(problem)}{proposal}")
    if extents[0] < 1 or math.prod(extents) != ranks:
        raise ValueError(f"layout {shown}: found {ranks} ranks, wanted {math.prod(extents)}{proposal}")
    for name, extent, inner in zip(AXES, extents, tile, strict=True):
        if inner < 1 or extent % inner:
            raise ValueError(f"tile {','.join(map(str, tile))}: {name}: found {inner}, wanted a divisor of {extent}")
    data, depth, height, width = extents
    return Layout(data, rank, depth, height, width, tile)


def most_boxes(problem: Problem) -> int:
    """Boxes that an axis can be cut into, a power of 2: whole bricks, and a voxel each at the coarsest level."""
    return min(1 << problem.bottleneck, problem.side // problem.brick)


def limit(problem: Problem) -> str:
    """What limits an extent, in words."""
    coarsest, bricks = 1 << problem.bottleneck, problem.side // problem.brick
    return f"a divisor of {min(coarsest, bricks)} ({problem.name}: coarsest extent {coarsest}, {bricks} bricks a side)"


def propose(problem: Problem, ranks: int) -> list[str]:
    """Layouts of so many ranks that fit: the fewest boxes first, and of those the one with the least surface."""
    fits = sorted(layouts(problem, ranks), key=lambda e: (math.prod(e[1:]), sum(e[1:]), [-n for n in e]))
    best = {math.prod(e[1:]): e for e in reversed(fits)}  # one for every number of boxes
    return [",".join(map(str, best[boxes])) for boxes in sorted(best)][:SHOWN]


def layouts(problem: Problem, ranks: int) -> Iterator[Extents]:
    """All layouts of so many ranks that fit."""
    cuts = [1 << k for k in range(most_boxes(problem).bit_length())]
    for depth in cuts:
        for height in cuts:
            for width in cuts:
                if ranks % (depth * height * width) == 0:
                    yield ranks // (depth * height * width), depth, height, width
