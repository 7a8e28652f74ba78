"""ScaFFold's problems: every number that makes one."""

from dataclasses import dataclass
from typing import ClassVar

from benchmark.problem import SPLITS, Samples


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
class Problem(Samples):
    """A ScaFFold problem. Sides and extents are in voxels; `scale` and `bottleneck` are exponents of 2."""

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
        self.check_samples()
        if not 0 <= self.bottleneck <= self.scale:
            raise ValueError(f"bottleneck: found {self.bottleneck}, wanted 0 to {self.scale}, the scale")
        limits = {"cell": (1, self.side), "brick": (1, self.cell), "voxels_per_point": (1, self.cell**3)}
        for field, (least, most) in limits.items():
            found = getattr(self, field)
            if not least <= found <= most or found & (found - 1):
                raise ValueError(f"{field}: found {found}, wanted a power of two up to {most}")
        if self.width < 1 or self.width % 8:
            raise ValueError(f"width: found {self.width}, wanted a multiple of 8, the groups of each GroupNorm")
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
        """The most boxes that each axis can be cut into. A box has whole bricks, and at least one voxel at the U-Net's
        coarsest level."""
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
        """The least number of voxels that the U-Net's convolutions see to each side of a voxel. There are two of 3^3 at
        each level on the way down, at the bottom, and at each level on the way up."""
        return 4 * ((1 << self.levels) - 1) + 2 * (1 << self.levels)

    @property
    def levels(self) -> int:
        """The number of times that the U-Net halves its extent, and doubles it again."""
        return self.scale - self.bottleneck

    @property
    def classes(self) -> int:
        """The number of classes: the categories, and the background, which is class 0."""
        return self.categories + 1

    def split_instances(self, split: str) -> int:
        """Return how many instances, of all categories together, a split uses."""
        return self.categories * self.instances * len(self.split_samples(split)) // self.samples
