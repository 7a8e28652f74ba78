"""ScaFFold's problems: every number that makes one."""

import math
from dataclasses import dataclass, fields
from typing import ClassVar

from benchmark.manifest import SPLITS
from benchmark.problem import digest, split_samples

STEPS = 144  # instances of a category between the steps of the others: 12 parameters, 12 steps


@dataclass(frozen=True)
class Search:
    """The search for categories and its acceptance test; see benchmark/scaffold/category.py."""

    seed: int
    reach: float  # parameters are drawn from [-reach, reach]
    determinant: tuple[float, float]  # least and greatest absolute determinant of a map
    squares: float  # sum of the squares of a map's matrix entries, at most
    stretch: float  # extent of an attractor with 32768 points over that with 4096, at most
    extent: float  # least extent of an attractor over its greatest, at least
    quick: int  # boxes of 16^3 that 4096 points of the base hit, at least: a cheap first look
    base_boxes: tuple[int, int]  # boxes of 64^3 that the base hits, least and most
    instance_boxes: tuple[int, int]  # the same for each of its 144 variants
    likeness: float  # intersection over union of the 16^3 boxes with another category, below


@dataclass(frozen=True)
class Intensity:
    """How voxels look, uint8. Nothing in it depends on the category."""

    background: int  # background voxels are uniform in [0, background]: 0, 1, 3, 7 or 15
    foreground: tuple[int, int]  # occupied voxels are uniform in this range, both ends included


@dataclass(frozen=True)
class Problem:
    """A problem. Sides and extents are in voxels; `scale` and `bottleneck` are exponents of 2."""

    workload: ClassVar[str] = "scaffold"

    name: str
    scale: int  # volumes are (2^scale)^3
    bottleneck: int  # the U-Net's coarsest extent is 2^bottleneck
    width: int  # channels of its first level
    categories: int  # foreground classes
    instances: int  # instances used of each category, of 145; each is of one split
    fractals: int  # instances placed in a volume, each in a cell of its own
    train_samples: int
    validation_samples: int
    target: float  # validation Dice
    data_seed: int
    brick: int  # side of a brick: chunk of storage, unit of the fingerprint
    cell: int  # side of a cell: volumes are grids of cells
    voxels_per_point: int  # points of a fractal = voxels of a cell / this
    size: tuple[int, int]  # greatest extent of a fractal in 1/256 of the cell's side: least and most
    intensity: Intensity
    search: Search

    def __post_init__(self) -> None:
        limits = {"cell": (1, self.side), "brick": (1, self.cell), "voxels_per_point": (1, self.cell**3)}
        for field, (least, most) in limits.items():
            found = getattr(self, field)
            if not least <= found <= most or found & (found - 1):
                raise ValueError(f"{field}: found {found}, wanted a power of two up to {most}")
        if self.points < 32:
            raise ValueError(
                f"voxels_per_point: found {self.voxels_per_point}: {self.points} points, wanted 32 or more"
            )
        if not 1 <= self.size[0] <= self.size[1] <= 256:
            raise ValueError(f"size: found {self.size}, wanted 1 <= least <= most <= 256")
        if self.intensity.background not in (0, 1, 3, 7, 15):
            raise ValueError(f"intensity.background: found {self.intensity.background}, wanted 0, 1, 3, 7 or 15")
        low, high = self.intensity.foreground
        if not 0 <= low <= high <= 255:
            raise ValueError(f"intensity.foreground: found {low, high}, wanted 0 <= least <= most <= 255")
        if not 1 <= self.fractals <= self.cells:
            raise ValueError(f"fractals: found {self.fractals}, wanted 1..{self.cells}, the cells of a volume")
        pool = self.categories * self.instances
        if pool * self.train_samples % self.samples:
            raise ValueError(f"instances: found {pool}, wanted so many that both splits get their share of them")
        for split in SPLITS:
            placed, made = len(self.split_samples(split)) * self.fractals, self.split_instances(split)
            if not made or placed % made:
                raise ValueError(f"{split}: found {placed} fractals of {made} instances, wanted each equally often")

    @property
    def side(self) -> int:
        return 1 << self.scale

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.side, self.side, self.side

    @property
    def most_boxes(self) -> tuple[int, int, int]:
        """Boxes that each axis can be cut into: whole bricks, and a voxel each at the U-Net's coarsest level."""
        most = min(1 << self.bottleneck, self.side // self.brick)
        return most, most, most

    @property
    def voxels(self) -> int:
        """Voxels of one volume."""
        return self.side**3

    @property
    def cells(self) -> int:
        """Cells of one volume."""
        return (self.side // self.cell) ** 3

    @property
    def points(self) -> int:
        """Points of one fractal."""
        return self.cell**3 // self.voxels_per_point

    @property
    def field(self) -> int:
        """Voxels that the U-Net's convolutions see to each side of a voxel, at least: two of 3^3 at each level, on the
        way down, at the bottom and on the way up."""
        return 4 * ((1 << self.levels) - 1) + 2 * (1 << self.levels)

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
        """Two problems are the same if this is."""
        return digest(self)

    def split_instances(self, split: str) -> int:
        """Instances, of all categories, that a split uses."""
        return self.categories * self.instances * len(self.split_samples(split)) // self.samples

    def split_samples(self, split: str) -> range:
        """The sample ids of "train" or "validation": the training samples come first."""
        return split_samples(self, split)


@dataclass(frozen=True)
class HeldOut(Problem):
    """A problem whose instances no dataset has: their factors lie between the steps of all others. Its `data_seed`
    draws them, and all the rest. See `held_out`, which makes it of a sound problem."""

    unseen: bool = True  # tells its digest from that of any other problem

    def __post_init__(self) -> None:
        if self.instances > STEPS:
            raise ValueError(
                f"instances: found {self.instances}, wanted at most {STEPS}: others have no step of their own"
            )

    def split_instances(self, split: str) -> int:
        """All of them, so that scores on data of two seeds differ as little as may be."""
        return self.categories * self.instances


def held_out(problem: Problem, seed: int) -> HeldOut:
    """The same problem with fresh data of this seed, of whose instances none is in the problem's own. The validation
    split is as large, or so much larger that it has each instance equally often."""
    values = {field.name: getattr(problem, field.name) for field in fields(problem)}
    pool = problem.categories * problem.instances
    step = pool // math.gcd(pool, problem.fractals)
    samples = -(-problem.validation_samples // step) * step
    return HeldOut(**values | {"data_seed": seed, "validation_samples": samples})
