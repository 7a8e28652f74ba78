"""Check that a layout of ranks fits a problem, and search for layouts that do."""

import itertools
import math
from collections.abc import Iterator

from benchmark.run.log import AXES
from benchmark.workload import AnyProblem

Extents = tuple[int, int, int, int]  # ranks by AXES

SHOWN = 6  # layouts that an error proposes


def validate_layout(extents: Extents, tile: Extents, problem: AnyProblem, ranks: int, batch: int | None = None) -> None:
    """Raise ValueError, which names the wrong extent and proposes layouts, unless the product of the extents is
    `ranks`, every rank's box has whole bricks and at least one voxel at the U-Net's coarsest level, and tiles fill the
    layout. With `batch`, the samples that replicas share at a time, no layout with idle replicas is proposed."""
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


def propose(problem: AnyProblem, ranks: int, batch: int | None = None) -> list[str]:
    """Return layouts of that many ranks that fit. For each number of boxes, fewest first, it is the one with the least
    surface. With `batch`, only layouts in which every replica has a sample are returned, if there are any."""
    fits = sorted(layouts(problem, ranks), key=lambda e: (math.prod(e[1:]), sum(e[1:]), [-n for n in e]))
    fits = [e for e in fits if batch is None or e[0] <= batch] or fits
    best = {math.prod(e[1:]): e for e in reversed(fits)}  # one for every number of boxes
    return [",".join(map(str, best[boxes])) for boxes in sorted(best)][:SHOWN]


def idle_replicas(extents: Extents, problem: AnyProblem, batch: int) -> str:
    """Return a warning for a layout with more replicas than samples at a time, "" for any other. Such a layout gives
    correct results but leaves ranks idle."""
    spare = extents[0] - batch
    if spare <= 0:
        return ""
    shown, better = ",".join(map(str, extents)), "  ".join(propose(problem, math.prod(extents), batch))
    return f"layout {shown}: {spare} of {extents[0]} replicas have no part of a batch of {batch}; these fit: {better}"


def layouts(problem: AnyProblem, ranks: int) -> Iterator[Extents]:
    """Yield all layouts of that many ranks that fit."""
    cuts = [[1 << k for k in range(most.bit_length())] for most in problem.most_boxes]
    for boxes in itertools.product(*cuts):
        if ranks % math.prod(boxes) == 0:
            depth, height, width = boxes
            yield ranks // math.prod(boxes), depth, height, width
