"""Problem definitions: every number that makes a problem, from problems.yaml into frozen dataclasses."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from benchmark.config import build, read_yaml, shallow, suggest

PROBLEMS = Path(__file__).with_name("problems.yaml")


@dataclass(frozen=True)
class Intensity:
    """How voxels look: background and occupied voxels are uint8 drawn from integer noise around a level."""

    background: int  # upper bound of the background's uniform noise, from 0
    levels: tuple[int, ...]  # mean intensity by category
    noise: int  # occupied voxels: level + noise in [-noise, noise]


@dataclass(frozen=True)
class Problem:
    """A problem. Sides and extents are in voxels; `scale` and `bottleneck` are exponents of 2."""

    name: str
    scale: int  # volumes are (2^scale)^3
    bottleneck: int  # the U-Net's coarsest extent is 2^bottleneck
    width: int  # channels of its first level
    categories: int  # foreground classes
    instances: int  # instances used of each category, of 145
    fractals: int  # instances overlaid in a volume
    train_samples: int
    validation_samples: int
    target: float  # validation Dice
    data_seed: int
    brick: int  # side of a brick: chunk of storage, unit of the fingerprint
    voxels_per_point: int  # points of a fractal = voxels of the volume / this
    intensity: Intensity

    @property
    def side(self) -> int:
        return 1 << self.scale

    @property
    def levels(self) -> int:
        """Down- and upsamplings of the U-Net."""
        return self.scale - self.bottleneck

    @property
    def classes(self) -> int:
        """Categories and background, which is class 0."""
        return self.categories + 1

    @property
    def samples(self) -> int:
        return self.train_samples + self.validation_samples

    def digest(self) -> str:
        """sha256 of the definition as canonical JSON: two problems are the same if this is."""
        return hashlib.sha256(json.dumps(shallow(self), sort_keys=True).encode()).hexdigest()

    def split_samples(self, split: str) -> range:
        """The sample ids of "train" or "validation": the training samples come first."""
        if split == "train":
            return range(self.train_samples)
        if split == "validation":
            return range(self.train_samples, self.samples)
        raise ValueError(f"found split {split!r}, wanted 'train' or 'validation'")


def load_problem(name: str, path: Path = PROBLEMS) -> Problem:
    """The problem of that name. Raises ValueError naming what is known, or the wrong field."""
    problems = read_yaml(path)
    if name not in problems:
        raise ValueError(f"{path.name}: no problem {name!r}{suggest(name, problems)}")
    return build(Problem, {"name": name, **problems[name]}, f"{path.name}: {name}")
