"""Which layouts fit a system, and which is fastest."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from implementations.pytorch.config import RunConfig
from implementations.pytorch.fit import arrange, layouts
from implementations.pytorch.layout import Extents
from implementations.pytorch.projection.machine import System
from implementations.pytorch.projection.predict import Prediction, predict, tiles


def search(problem: Any, config: RunConfig, system: System, ranks: int, recompute: bool | None) -> list[Prediction]:
    """Predictions for so many ranks, the fastest that fits first, then those that don't: for every number of boxes
    the layout with the least surface. With `recompute` None each keeps its activations if that fits.

    May be empty: more replicas than samples in a batch have nothing to do.
    """
    found = [best_of(problem, config, system, e, recompute) for e in candidates(problem, config, ranks)]
    return sorted(found, key=lambda p: (not p.fits, p.epoch))


def candidates(problem: Any, config: RunConfig, ranks: int) -> Iterable[Extents]:
    """For every number of boxes the layout with the least halo."""
    useful = [e for e in layouts(problem, ranks) if e[0] * config.accumulate <= config.batch_size]
    useful.sort(key=lambda e: (surface(problem, e), e))
    return {math.prod(e[1:]): e for e in reversed(useful)}.values()


def surface(problem: Any, extents: Extents) -> int:
    """Voxels of the faces that a rank in the middle of the volume shares with others."""
    box = [side // extent for side, extent in zip(problem.shape, extents[1:], strict=True)]
    return sum(math.prod(box) // n * min(2, extent - 1) for n, extent in zip(box, extents[1:], strict=True))


def best_of(problem: Any, config: RunConfig, system: System, extents: Extents, recompute: bool | None) -> Prediction:
    """The fastest tile of a layout; recomputing only if it must, or as `recompute` says."""
    for again in (False, True) if recompute is None else (recompute,):
        found = best_tile(problem, replace(config, recompute=again), system, extents)
        if found.fits:
            break
    return found


def best_tile(problem: Any, config: RunConfig, system: System, extents: Extents) -> Prediction:
    """The tile in which a node's ranks wait least for their halos."""
    ranks = math.prod(extents)
    ways = [arrange(extents, tile, problem, 0, ranks) for tile in tiles(extents, system.ranks_per_node)]
    return min((predict(problem, config, system, layout) for layout in ways), key=lambda p: p.seconds.step)
