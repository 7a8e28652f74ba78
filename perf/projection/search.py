"""Which layouts fit a system, and which is fastest."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

from benchmark.run.layouts import Extents, layouts, validate_layout
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from perf.projection.machine import System
from perf.projection.predict import LADDER, Prediction, at_step, predict, step_of, tiles


def search(problem: Any, config: RunConfig, system: System, ranks: int, recompute: str = "auto") -> list[Prediction]:
    """Predictions for a number of ranks: for each number of boxes the layout with the least surface. Those that fit
    come first, the fastest first. [] if no layout has work for all ranks.

    `recompute` is "no", "norms", "yes" or "auto". "auto" is what the config says, and more if memory is too small.
    """
    found = [best_of(problem, config, system, e, recompute) for e in candidates(problem, config, ranks)]
    return sorted(found, key=lambda p: (not p.fits, p.epoch))


def candidates(problem: Any, config: RunConfig, ranks: int) -> Iterable[Extents]:
    """For each number of boxes the layout with the least halo, without layouts that leave replicas idle."""
    useful = [e for e in layouts(problem, ranks) if e[0] <= at_once(config)]
    useful.sort(key=lambda e: (surface(problem, e), e))
    return {math.prod(e[1:]): e for e in reversed(useful)}.values()


def at_once(config: RunConfig) -> int:
    """The samples of a batch that are computed at once: more replicas than that have no work."""
    return config.batch_size // config.accumulate


def busy(problem: Any, config: RunConfig) -> list[int]:
    """The numbers of ranks, ascending, that have a layout with work for every rank."""
    boxes = [1 << k for k in range(math.prod(problem.most_boxes).bit_length())]
    return sorted({n * m for n, m in itertools.product(range(1, at_once(config) + 1), boxes)})


def surface(problem: Any, extents: Extents) -> int:
    """The voxels on the faces that a rank in the middle of the volume shares with neighbours."""
    box = [side // extent for side, extent in zip(problem.shape, extents[1:], strict=True)]
    return sum(math.prod(box) // n * min(2, extent - 1) for n, extent in zip(box, extents[1:], strict=True))


def best_of(problem: Any, config: RunConfig, system: System, extents: Extents, recompute: str = "auto") -> Prediction:
    """The prediction of a layout with its fastest tile, and the least recomputation that `recompute` allows and that
    fits into memory."""
    own = LADDER.index(step_of(config))
    for step in LADDER[own:] if recompute == "auto" else [recompute]:
        found = best_tile(problem, at_step(config, step), system, extents)
        if found.fits:
            break
    return found


def best_tile(problem: Any, config: RunConfig, system: System, extents: Extents) -> Prediction:
    """The prediction with the tile whose step is fastest, or with the config's own tile if it has one."""
    ranks = math.prod(extents)
    tried = tiles(extents, system.ranks_per_node) if config.tile == (1, 1, 1, 1) else [config.tile]
    for tile in tried:
        validate_layout(extents, tile, problem, ranks, at_once(config))
    ways = (Layout.of(extents, tile) for tile in tried)
    return min((predict(problem, config, system, layout) for layout in ways), key=lambda p: p.seconds.step)
