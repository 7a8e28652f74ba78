"""Classifiers that see little of the shape: `python benchmark/shortcut.py --problem smoke`.

Each is fitted on the training split and scored by the Dice of the validation split. All but the last three see a voxel
or a box around it. Some are told which voxels are occupied, which a network has to find out.

- `voxel`: the best table by a voxel's intensity.
- `neighbours`: the best table by the mean intensity of the occupied voxels in the 5^3 box around an occupied one.
- `bayes3`, `bayes5`, `bayes7`: the category under which the intensities of all occupied voxels in the box are likeliest
  (naive Bayes).
- `votes`: a threshold, the likeliest category in a 3^3 box, and two rounds of votes, which takes a few lines of NumPy.
- `box3`, `box5`, `box7`, `box9`: ridge regression on random features of the box's occupancy, which see its shape.
- `votes9`: the sum of what `box9` says of each occupied voxel in a box of 7^3, so that 15^3 voxels are seen.
- `wide`: the same over 7/8 of a cell, so that whole fractals are seen.
- `moments` and `nearest` are no shortcuts either. They find each fractal and compare it as a whole with those of the
  training split, by its second moments or by its distribution over a coarse grid.

Samples, or cells of large ones, are made on the fly.
"""

from collections.abc import Iterator
from functools import partial, reduce

import numpy as np

from benchmark.metric import Counts, dice
from benchmark.problem import SPLITS
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.shortcut_box import (
    SIDE,
    SIDES,
    TRAIN,
    VALIDATION,
    VOTES,
    box_dice,
    gather,
    vote_dice,
    widest_reach,
)
from benchmark.scaffold.shortcut_parts import Part, each, scope, split_parts, timed
from benchmark.scaffold.shortcut_shape import GRID, shape_dice
from benchmark.scaffold.shortcut_tables import BOXES, REACH, ROUNDS, fit, histograms, predictions, score
from benchmark.shortcut import Score

__all__ = ["LOWER", "SCORE", "scope", "shortcuts"]

SCORE = "Dice"
LOWER = False  # a higher score is better
TOLD = "told which are occupied"


def shortcuts(problem: Problem, workers: int = 1, samples: int | None = None) -> Iterator[Score]:
    """Yield the classifiers' scores. `samples` limits each split to its first so many samples."""
    train, validation = (split_parts(problem, split, samples) for split in SPLITS)
    tables = {split: summed(problem, parts, workers) for split, parts in zip(SPLITS, (train, validation), strict=True)}
    true = tables["validation"]["voxel"][0].sum(axis=0)
    yield from table_scores(tables, true)
    counts = tables["train"]["voxel"][0]
    yield from vote_scores(problem, counts, validation, workers)
    yield from box_scores(problem, counts, true, train, validation, workers)
    sees = {"moments": "second moments", "nearest": f"spread over {GRID}^3 boxes"}
    for name, score_and_seconds in shape_dice(counts, true, problem, train, validation, workers).items():
        what = f"the volume: each fractal's {sees[name]}, against the training fractals'"
        yield Score(name, *score_and_seconds, what, local=False)


def summed(problem: Problem, parts: list[Part], workers: int) -> dict[str, tuple[np.ndarray, float]]:
    """Return the histogram of a split, and its processor seconds, by the name of the table."""
    found = each(histograms, problem, parts, workers, "tables")
    return {
        name: (sum(part[name][0] for part in found), sum(part[name][1] for part in found))
        for name in ("voxel", "neighbours")
    }


def table_scores(tables: dict[str, dict[str, tuple[np.ndarray, float]]], true: np.ndarray) -> Iterator[Score]:
    """Yield the scores of `voxel` and `neighbours`, from the histograms of both splits."""
    side = 2 * REACH + 1
    sees = {"voxel": "a voxel's intensity", "neighbours": f"mean intensity of a box of {side}^3 voxels, {TOLD}"}
    for name, what in sees.items():
        (train, first), (validation, second) = tables["train"][name], tables["validation"][name]
        table, seconds = timed(fit, train)
        yield Score(name, score(validation, table, true), first + second + seconds, what)


def vote_scores(problem: Problem, counts: np.ndarray, parts: list[Part], workers: int) -> Iterator[Score]:
    """Yield the scores of naive Bayes and votes, from the training split's histogram of intensities `counts`."""
    found = each(partial(predictions, counts), problem, parts, workers, "naive Bayes, votes")
    sees = {name: f"intensities of a box of {2 * reach + 1}^3 voxels, {TOLD}" for name, reach in BOXES.items()}
    sees["votes"] = f"intensities of a box of {2 * (ROUNDS + 1) + 1}^3 voxels"
    for name, what in sees.items():
        total = reduce(Counts.__add__, (part[name][0] for part in found))
        yield Score(name, dice(total), sum(part[name][1] for part in found), what)


def box_scores(
    problem: Problem, counts: np.ndarray, true: np.ndarray, train: list[Part], validation: list[Part], workers: int
) -> Iterator[Score]:
    """Yield the scores of the learners of small boxes."""
    fitted = gather(problem, train, int(counts[:, 1:].sum()), TRAIN, workers)
    scored = gather(problem, validation, int(true[1:].sum()), VALIDATION, workers)
    on = f"fitted on {len(fitted.bits)} voxels, scored on {len(scored.bits)} of {true[1:].sum()}"
    for side in SIDES:
        value, seconds = timed(box_dice, fitted, scored, side, problem.categories)
        yield Score(f"box{side}", value, seconds, f"occupancy of a box of {side}^3 voxels; {on}")
    reaches = {f"votes{SIDE}": VOTES, "wide": widest_reach(problem)}
    voted = vote_dice(fitted, SIDE, [*reaches.values()], problem, validation, workers)
    for (name, reach), found in zip(reaches.items(), voted, strict=True):
        what = f"occupancy of a box of {SIDE + 2 * reach}^3 voxels: votes of box{SIDE} over {2 * reach + 1}^3"
        yield Score(name, *found, what, local=name != "wide")
