"""ScaFFold's problems: every number that makes one."""

from dataclasses import dataclass
from typing import ClassVar

from benchmark.problem import digest, split_samples


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
    """How voxels look: uint8 levels plus integer noise, clipped to [0, 255].

    Noise is the sum of `terms` integers uniform in [-noise, noise]: 1 is uniform, 2 triangular, 4 nearly normal.
    """

    background: int  # background voxels are uniform in [0, background]
    levels: tuple[int, ...]  # of an occupied voxel, by category
    noise: int
    terms: int = 1
    jitter: int = 0  # a fractal's own offset, one for all its voxels: uniform in [-jitter, jitter]


@dataclass(frozen=True)
class Problem:
    """A problem. Sides and extents are in voxels; `scale` and `bottleneck` are exponents of 2."""

    workload: ClassVar[str] = "scaffold"

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
    size: tuple[int, int]  # greatest extent of a fractal in 1/256 of the side: least and most
    intensity: Intensity
    search: Search

    def __post_init__(self) -> None:
        limits = {"brick": self.side, "voxels_per_point": self.voxels}
        for field, most in limits.items():
            found = getattr(self, field)
            if not 1 <= found <= most or found & (found - 1):
                raise ValueError(f"{field}: found {found}, wanted a power of two up to {most}")
        if self.points < 8:
            raise ValueError(f"voxels_per_point: {self.voxels_per_point} leaves {self.points} points, wanted 8 or more")
        if not 1 <= self.size[0] <= self.size[1] <= 256:
            raise ValueError(f"size: found {self.size}, wanted 1 <= least <= most <= 256")
        if not 1 <= self.intensity.terms <= 4:
            raise ValueError(f"intensity.terms: found {self.intensity.terms}, wanted 1..4")
        if len(self.intensity.levels) != self.categories:
            raise ValueError(f"intensity.levels: found {len(self.intensity.levels)}, wanted {self.categories}")
        placed, made = self.samples * self.fractals, self.categories * self.instances
        if placed != made:
            raise ValueError(f"{placed} fractals in the volumes, but {made} instances: each is used exactly once")

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
    def points(self) -> int:
        """Points of one fractal."""
        return self.voxels // self.voxels_per_point

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

    def split_samples(self, split: str) -> range:
        """The sample ids of "train" or "validation": the training samples come first."""
        return split_samples(self, split)
