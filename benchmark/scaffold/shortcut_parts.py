"""Make what shortcuts are fitted and scored on: whole samples, or cells of them where samples are large."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from benchmark.problem import SPLITS
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import fractals, intensities, make_sample, mark
from benchmark.workers import work

WHOLE = 128  # side of the largest samples that are made as a whole


class Part(NamedTuple):
    """A whole sample, or the cell of one of its fractals."""

    split: str
    sample: int
    index: int | None  # of the fractal; None: the whole sample


def split_parts(problem: Problem, split: str, samples: int | None = None) -> list[Part]:
    """Return all samples of a split. Where they are large, return cells of fractals until each instance was used once.

    `samples` limits both to the first so many samples of the split.
    """
    wanted = list(problem.split_samples(split))[:samples]
    if problem.side <= WHOLE:
        return [Part(split, sample, None) for sample in wanted]
    cells = (Part(split, sample, index) for sample in wanted for index in range(problem.fractals))
    return list(islice(cells, problem.split_instances(split)))


def scope(problem: Problem, samples: int | None = None) -> str:
    """Return which parts `split_parts` returns, in words."""
    parts = {split: split_parts(problem, split, samples) for split in SPLITS}
    train, validation = (len(found) for found in parts.values())
    if problem.side <= WHOLE:
        return f"{train} training and {validation} validation samples, of {problem.train_samples} and " + (
            f"{problem.validation_samples}"
        )
    of_train, of_validation = (len({part.sample for part in found}) for found in parts.values())
    return (
        f"the cells of {train} fractals of {of_train} training samples and of {validation} of {of_validation} "
        "validation samples, without the empty cells"
    )


def make_part(problem: Problem, part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Return volume and label of a part, uint8 (D, H, W). The intensities of a cell have the distribution of the
    sample's, but are drawn separately."""
    if part.index is None:
        return make_sample(problem, part.sample)
    fractal = fractals(problem, part.sample)[part.index]
    label = mark(problem, part.sample, part.index, fractal) * np.uint8(fractal.category + 1)
    return intensities(problem, part.sample, part.index * problem.brick, label), label


def each(
    job: Callable[[Problem, np.ndarray, np.ndarray], Any], problem: Problem, parts: list[Part], workers: int, what: str
) -> list[Any]:
    """Return job(problem, volume, label) for each part, in the order of the parts. `what` names the progress bar."""
    tasks = list(enumerate(parts))
    done: Iterator = work(Task(job), Path(), problem, tasks, workers)
    found = dict(tqdm(done, total=len(tasks), desc=what, disable=None))
    return [found[number] for number in range(len(tasks))]


class Task(NamedTuple):
    """A job that can be sent to worker processes."""

    job: Callable[[Problem, np.ndarray, np.ndarray], Any]

    def __call__(self, root: Path, problem: Problem, task: tuple[int, Part]) -> tuple[int, Any]:
        return task[0], self.job(problem, *make_part(problem, task[1]))


def timed(function: Callable, *arguments: Any) -> tuple[Any, float]:
    """Return a function's result, and the processor seconds that it took."""
    start = process_time()
    return function(*arguments), process_time() - start
