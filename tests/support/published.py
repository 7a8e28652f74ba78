"""Datasets in the format of ScaFFold's authors: each category has one colour; a volume overlays some, later ones over
earlier ones; files, list and configuration have the published layout. Voxels are drawn: they make no fractal."""

import csv
from pathlib import Path

import numpy as np
import yaml

from benchmark.scaffold_published.problem import Problem


def write_dataset(root: Path, problem: Problem, seed: int = 42, **configured) -> Path:
    """Write the dataset of a problem. `configured` changes its configuration's words. Return its folder."""
    draw, side = np.random.default_rng(seed), problem.side
    points = side**3 // 256
    colours = draw.uniform(0, 1, (problem.categories, 3)).astype(np.float32)
    instances = [(c, i) for c in range(problem.categories) for i in range(problem.instances)]
    order = draw.permutation(len(instances)).reshape(-1, problem.fractals)
    validates = set(draw.permutation(len(order))[: problem.validation_samples].tolist())
    for index, placed in enumerate(order):
        volume, mask = np.zeros((3, side, side, side), np.float32), np.zeros((side, side, side), np.uint16)
        for category, _ in (instances[at] for at in placed):
            z, y, x = draw.integers(0, side, (3, points))
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
