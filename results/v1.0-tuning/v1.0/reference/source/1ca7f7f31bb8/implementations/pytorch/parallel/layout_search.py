"""The search for layouts of ranks that fit a problem."""

import itertools
import math
from collections.abc import Iterator

from benchmark.workload import AnyProblem

from .layout import AXES, Extents, Layout

SHOWN = 6  # layouts that an error proposes


def arrange(
    extents: Extents, tile: Extents, problem: AnyProblem, rank: int, ranks: int, batch: int | None = None
) -> Layout:
    """The layout of so many ranks, as one of them sees it, before they are connected.

    Raises ValueError that names the wrong extent and proposes layouts, unless its product is `ranks`, every rank's
    box has whole bricks and at least one voxel at the U-Net's coarsest level, and tiles fill it. `batch`, how many
    samples replicas share at a time, keeps layouts with idle replicas out of what is proposed.
    """
    shown = ",".join(map(str, extents))
    proposal = f"; for {ranks} ranks these fit: {'  '.join(propose(problem, ranks, batch))}"
    for name, extent, most in zip(AXES[1:], extents[1:], problem.most_boxes, strict=True):
        if extent < 1 or most % extent:
            wanted = f"a divisor of {most}, the most boxes that {problem.name} can be cut into there"
            raise ValueError(f"layout {shown}: {name}: found {extent}, wanted {wanted}{proposal}")
    if extents[0] < 1 or math.prod(extents) != ranks:
        raise ValueError(f"layout {shown}: found {ranks} ranks, wanted {math.prod(extents)}{proposal}")
    for name, extent, inner in zip(AXES, extents, tile, strict=True):
        if inner < 1 or extent % inner:
            raise ValueError(f"tile {','.join(map(str, tile))}: {name}: found {inner}, wanted a divisor of {extent}")
    data, depth, height, width = extents
    return Layout(data, rank, depth, height, width, tile)


def propose(problem: AnyProblem, ranks: int, batch: int | None = None) -> list[str]:
    """Layouts of so many ranks that fit: the fewest boxes first, and of those the one with the least surface. With
    `batch`, those alone in which every replica has a sample of so many, if there are any."""
    fits = sorted(layouts(problem, ranks), key=lambda e: (math.prod(e[1:]), sum(e[1:]), [-n for n in e]))
    fits = [e for e in fits if batch is None or e[0] <= batch] or fits
    best = {math.prod(e[1:]): e for e in reversed(fits)}  # one for every number of boxes
    return [",".join(map(str, best[boxes])) for boxes in sorted(best)][:SHOWN]


def idle(layout: Layout, problem: AnyProblem, batch: int) -> str:
    """What to say of a layout with more replicas than samples at a time, "" of any other. It computes what it should,
    and wastes ranks."""
    spare = layout.data - batch
    if spare <= 0:
        return ""
    shown, better = ",".join(map(str, layout.extents)), "  ".join(propose(problem, layout.ranks, batch))
    return f"layout {shown}: {spare} of {layout.data} replicas have no part of a batch of {batch}; these fit: {better}"


def layouts(problem: AnyProblem, ranks: int) -> Iterator[Extents]:
    """All layouts of so many ranks that fit."""
    cuts = [[1 << k for k in range(most.bit_length())] for most in problem.most_boxes]
    for boxes in itertools.product(*cuts):
        if ranks % math.prod(boxes) == 0:
            yield ranks // math.prod(boxes), *boxes
