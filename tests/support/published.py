"""Datasets in the format of ScaFFold's authors, by the published rules: each category is an iterated function system of
two maps with one colour; an instance scales one of its 12 parameters; a volume overlays some, stretched over all of it,
later ones over earlier ones; files, list and configuration have the published layout."""

import csv
from pathlib import Path

import numpy as np
import yaml

from benchmark.scaffold_published.problem import Problem


def write_dataset(root: Path, problem: Problem, seed: int = 42, **configured) -> Path:
    """Write the dataset of a problem. `configured` changes its configuration's words. Return its folder."""
    draw, side = np.random.default_rng(seed), problem.side
    points = side**3 // 256
    systems = [draw.uniform(-1, 1, (2, 3, 4)) for _ in range(problem.categories)]
    for system in systems:
        system[..., :3] *= (0.65 / np.linalg.norm(system[..., :3], 2, axis=(1, 2)))[:, None, None]
    colours = draw.uniform(0, 1, (problem.categories, 3)).astype(np.float32)
    instances = [(c, i) for c in range(problem.categories) for i in range(problem.instances)]
    order = draw.permutation(len(instances)).reshape(-1, problem.fractals)
    validates = set(draw.permutation(len(order))[: problem.validation_samples].tolist())
    for index, placed in enumerate(order):
        volume, mask = np.zeros((3, side, side, side), np.float32), np.zeros((side, side, side), np.uint16)
        for category, instance in (instances[at] for at in placed):
            z, y, x = attractor(varied(systems[category], instance), points, side, draw)
            volume[:, z, y, x], mask[z, y, x] = colours[category][:, None], category + 1
        split = "validation" if index in validates else "training"
        for kind, name, array in (("volumes", f"{index}.npy", volume), ("masks", f"{index}_mask.npy", mask)):
            folder = root / kind / split
            folder.mkdir(parents=True, exist_ok=True)
            np.save(folder / name, array)
    with (root / "volumes_contents.csv").open("w", newline="") as file:
        rows = ([index, *(n for at in placed for n in instances[at])] for index, placed in enumerate(order))
        csv.writer(file).writerows(rows)
    words = {
        "problem_scale": problem.scale,
        "unet_bottleneck_dim": problem.bottleneck,
        "n_categories": problem.categories,
        "n_instances_used_per_fractal": problem.instances,
        "n_fracts_per_vol": problem.fractals,
        "val_split": problem.validation_percent,
        "seed": seed,
        "dc_num_shards": [1, 1, 1],
    }
    (root / "config.yml").write_text(yaml.safe_dump(words | configured))
    return root


def varied(system: np.ndarray, instance: int) -> np.ndarray:
    """An instance of a category (2, 3, 4): instance 0 is itself, in others one of 12 parameters is scaled."""
    found = system.copy()
    if instance:
        parameter, step = divmod(instance - 1, 12)
        found.reshape(2, 12)[:, parameter % 12] *= 0.4 + 0.1 * step
    return found


def attractor(system: np.ndarray, points: int, side: int, draw: np.random.Generator) -> tuple[np.ndarray, ...]:
    """The voxels (z, y, x) of so many points, stretched alike on all axes to the whole volume, and centred."""
    at, found = np.zeros(3), np.empty((points, 3))
    for number, which in enumerate(draw.integers(0, 2, points + 32), -32):
        at = system[which, :, :3] @ at + system[which, :, 3]
        if number >= 0:
            found[number] = at
    low, high = found.min(0), found.max(0)
    scaled = (found - (low + high) / 2) / max((high - low).max(), 1e-9) + 0.5
    return tuple(np.minimum((scaled * side).astype(int), side - 1).T)
