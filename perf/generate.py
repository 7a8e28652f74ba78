"""Speed of generation: `python perf/generate.py [--scales 5 6 7] [--seconds 3]`.

Volumes a second, one process: ours, a straightforward chaos game in NumPy (one walker, one point at a time) and
the same in pure Python. Then what the official size would take, on two cores: the rates are measured at the
greatest scale asked for and multiplied up, points and voxels each with their own. At scale 5 a fractal has too few
points for that. Computing is measured in processor time, so that other work on the machine matters less; storing in
wall time, since it waits for the disk.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from benchmark import scaffold
from benchmark.problem import load_problem
from benchmark.scaffold import store, writing
from benchmark.scaffold.category import instance_maps, load_categories
from benchmark.scaffold.problem import Problem
from benchmark.scaffold.volume import fractals, frame, intensities, layers, make_sample, make_slabs, pools
from perf.settings import published_at

CORES = 2
LEAST_POINTS = 32  # that a fractal of a problem may have
TIMED_POINTS = 1024  # that a fractal needs, so that the time of a point can be told from noise


def seconds_each(job: Callable[[int], object], limit: float, clock: Callable[[], float] = time.process_time) -> float:
    """Mean seconds of job(0), job(1), ... over about `limit` seconds, after one call to warm up."""
    job(0)
    calls, start = 0, clock()
    while clock() - start < limit:
        job(calls)
        calls += 1
    return (clock() - start) / calls


def points_numpy(maps: np.ndarray, count: int) -> np.ndarray:
    """The chaos game as one writes it down: one walker, a matrix product a step. Points (count, 3)."""
    matrices, shifts = maps[:, :9].reshape(2, 3, 3), maps[:, 9:]
    picks = np.random.default_rng(0).integers(0, 2, count)
    points, point = np.empty((count, 3)), np.zeros(3)
    for i, pick in enumerate(picks):
        point = matrices[pick] @ point + shifts[pick]
        points[i] = point
    return points


def points_python(maps: np.ndarray, count: int) -> list[tuple[float, float, float]]:
    """The same without NumPy."""
    both, x, y, z, points = maps.astype(float).tolist(), 0.0, 0.0, 0.0, []
    for _ in range(count):
        a, b, c, d, e, f, g, h, i, t, u, v = both[random.getrandbits(1)]
        x, y, z = a * x + b * y + c * z + t, d * x + e * y + f * z + u, g * x + h * y + i * z + v
        points.append((x, y, z))
    return points


def straightforward(problem: Problem, sample: int, game: Callable[[np.ndarray, int], object]) -> np.ndarray:
    """A volume like ours from one walker's points; placing them and drawing intensities is vectorised as ours is."""
    label = np.zeros((problem.side,) * 3, np.uint8)
    for fractal in fractals(problem, sample):
        maps = instance_maps(load_categories(problem.categories)[fractal.category], fractal.variant)
        points = np.asarray(game(maps, problem.points))
        low = points.min(axis=0)
        voxels = ((points - low) * ((fractal.size - 1) / (points.max(axis=0) - low).max())).astype(int)
        corner = np.array(fractal.cell) * problem.cell + fractal.origin
        label[tuple((voxels + corner).T)] = fractal.category + 1
    for first in range(0, problem.side, problem.brick):
        intensities(problem, sample, first, label[first : first + problem.brick])
    return label


def compare(problem: Problem, limit: float) -> None:
    """Print volumes/s of the three, and how much faster ours is."""
    ours = seconds_each(lambda s: make_sample(problem, s % problem.samples), limit)
    print(f"{problem.name}: {problem.side}^3 voxels, {problem.fractals} x {problem.points} points", flush=True)
    print(f"  ours         {1 / ours:10.3f} volumes/s")
    for name, game in (("NumPy", points_numpy), ("pure Python", points_python)):
        theirs = seconds_each(lambda s, g=game: straightforward(problem, s % problem.samples, g), limit)
        print(f"  {name:12s} {1 / theirs:10.3f} volumes/s, ours is {theirs / ours:.1f} times as fast", flush=True)


def stored(problem: Problem, limit: float) -> None:
    """Print volumes/s with storing, and bytes a volume."""
    with tempfile.TemporaryDirectory() as folder:

        def job(sample: int) -> None:
            sample %= problem.train_samples
            path = store.sample_path(Path(folder), "train", sample)
            writing.write_slabs(path, problem, "train", sample, make_slabs(problem, sample))

        rate = 1 / seconds_each(job, limit, time.perf_counter)
        size = store.sample_path(Path(folder), "train", 0).stat().st_size
    print(f"  ours, stored {rate:10.3f} volumes/s, {size} bytes each ({size / problem.voxels:.3f} a voxel)")


def labels(problem: Problem, sample: int) -> None:
    """Make a sample's label, a layer of cells at a time."""
    for _ in layers(problem, sample):
        pass


def project(measured: Problem, limit: float) -> None:
    """Print hours and bytes of the official size on CORES cores, from the costs of a point and of a voxel."""
    official = load_problem("scale11")
    few = replace(measured, voxels_per_point=measured.voxels_per_point * min(16, measured.points // LEAST_POINTS))
    for instance in {one for pool in pools(measured).values() for one in pool}:
        frame(measured.categories, *instance)  # found once in a process, and the official size has 1,024 uses for each
    many = seconds_each(lambda s: labels(measured, s % measured.samples), limit)
    less = seconds_each(lambda s: labels(few, s % few.samples), limit)
    a_point = (many - less) / (measured.fractals * (measured.points - few.points))
    # digests and intensities, label and hash: all that is done once a voxel, but for writing to disk
    whole = seconds_each(lambda s: writing.measure(measured, "train", s, make_slabs(measured, s)), limit)
    a_voxel = (whole - many) / measured.voxels
    points, voxels = official.fractals * official.points * official.samples, official.voxels * official.samples
    hours = (points * a_point + voxels * a_voxel) / CORES / 3600
    print(f"scale11 from {measured.name}: {a_point * 1e9:.1f} ns a point, {a_voxel * 1e9:.2f} ns a voxel, hashed")
    print(
        f"  {hours:.1f} hours on {CORES} cores, up to {official.samples * scaffold.file_bytes(official)} bytes on disk"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the speed of generation.")
    parser.add_argument("--scales", type=int, nargs="+", default=[5, 6, 7])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    options = parser.parse_args()
    problems = [published_at(scale) for scale in options.scales]
    for problem in problems:
        compare(problem, options.seconds)
        stored(problem, options.seconds)
    if problems[-1].points >= TIMED_POINTS:
        project(problems[-1], options.seconds)
    else:
        print("scale11 from scale 6 on: a fractal has too few points here to time one")


if __name__ == "__main__":
    main()
