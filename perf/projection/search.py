"""Which layouts fit a system, and which is fastest."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Extents
from implementations.pytorch.parallel.layout_search import arrange, layouts
from perf.projection.machine import System
from perf.projection.predict import Prediction, predict, tiles
from perf.projection.recompute import at_step, steps_to_try

PLAIN = (1, 1, 1, 1)


def search(problem: Any, config: RunConfig, system: System, ranks: int, recompute: str = "auto") -> list[Prediction]:
    """Predictions for so many ranks, the fastest that fits first, then those that don't: for every number of boxes
    the layout with the least surface. `recompute` is "no", "norms", "yes", or "auto": each runs as much again as the
    config says, and more if it doesn't fit.

    May be empty: more replicas than samples in a batch have nothing to do.
    """
    found = [best_of(problem, config, system, e, recompute) for e in candidates(problem, config, ranks)]
    return sorted(found, key=lambda p: (not p.fits, p.epoch))


def candidates(problem: Any, config: RunConfig, ranks: int) -> Iterable[Extents]:
    """For every number of boxes the layout with the least halo."""
    useful = [e for e in layouts(problem, ranks) if e[0] <= at_once(config)]
    useful.sort(key=lambda e: (surface(problem, e), e))
    return {math.prod(e[1:]): e for e in reversed(useful)}.values()


def at_once(config: RunConfig) -> int:
    """Samples that replicas share at a time: no more replicas have work."""
    return config.batch_size // config.accumulate


def busy(problem: Any, config: RunConfig) -> list[int]:
    """All numbers of ranks that have a layout in which every rank has work."""
    boxes = [1 << k for k in range(math.prod(problem.most_boxes).bit_length())]
    return sorted({n * m for n, m in itertools.product(range(1, at_once(config) + 1), boxes)})


def surface(problem: Any, extents: Extents) -> int:
    """Voxels of the faces that a rank in the middle of the volume shares with others."""
    box = [side // extent for side, extent in zip(problem.shape, extents[1:], strict=True)]
    return sum(math.prod(box) // n * min(2, extent - 1) for n, extent in zip(box, extents[1:], strict=True))


def best_of(problem: Any, config: RunConfig, system: System, extents: Extents, recompute: str = "auto") -> Prediction:
    """The fastest tile of a layout; running again as little as `recompute` allows and memory has room for."""
    for step in steps_to_try(config, recompute):
        found = best_tile(problem, at_step(config, step), system, extents)
        if found.fits:
            break
    return found


def best_tile(problem: Any, config: RunConfig, system: System, extents: Extents) -> Prediction:
    """The tile in which a node's ranks wait least for their halos; the config's own if it has one."""
    ranks = math.prod(extents)
    tried = tiles(extents, system.ranks_per_node) if config.tile == PLAIN else [config.tile]
    ways = [arrange(extents, tile, problem, 0, ranks, at_once(config)) for tile in tried]
    return min((predict(problem, config, system, layout) for layout in ways), key=lambda p: p.seconds.step)
