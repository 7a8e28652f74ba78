"""ScaFFold's problems as its authors publish them: every number that makes one."""

from dataclasses import dataclass
from typing import ClassVar

from benchmark.problem import Samples

COLOURS = 3  # channels of a volume


@dataclass(frozen=True)
class Problem(Samples):
    """A problem as published. `scale` and `bottleneck` are exponents of 2. Sites generate the data by the authors'
    program, whose seed may be any."""

    workload: ClassVar[str] = "scaffold_published"

    name: str
    scale: int  # volumes are (2^scale)^3
    bottleneck: int  # the U-Net's coarsest extent is 2^bottleneck
    width: int  # channels of its first level
    categories: int  # foreground classes
    instances: int  # instances used of each category, a multiple of `fractals`
    fractals: int  # instances placed in a volume
    validation_percent: int  # of all volumes, rounded down
    train_samples: int
    validation_samples: int
    target: float  # mean over samples and classes of Dice
    data_seed: ClassVar[int] = 0  # the data are the site's

    def __post_init__(self) -> None:
        self.check_samples()
        if not 0 <= self.bottleneck < self.scale:
            raise ValueError(f"bottleneck: found {self.bottleneck}, wanted 0 to {self.scale - 1}, below the scale")
        if self.fractals < 1 or self.instances % self.fractals:
            raise ValueError(f"instances: found {self.instances}, wanted a multiple of {self.fractals}")
        volumes = self.categories * self.instances // self.fractals
        validation = volumes * self.validation_percent // 100
        found = self.train_samples, self.validation_samples
        if found != (volumes - validation, validation):
            raise ValueError(
                f"train_samples and validation_samples: found {found[0]} and {found[1]}, "
                f"wanted {volumes - validation} and {validation}, as there are {volumes} volumes"
            )

    @property
    def side(self) -> int:
        return 1 << self.scale

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.side, self.side, self.side

    @property
    def levels(self) -> int:
        """The number of times that the U-Net halves its extent, and doubles it again."""
        return self.scale - self.bottleneck

    @property
    def brick(self) -> int:
        """The side of a brick, which is the unit of the fingerprint: the voxels that the levels reduce to one."""
        return 1 << self.levels

    @property
    def most_boxes(self) -> tuple[int, int, int]:
        """The most boxes that each axis can be cut into. A box has whole bricks."""
        most = 1 << self.bottleneck
        return most, most, most

    @property
    def classes(self) -> int:
        """The number of classes: the categories, and the background, which is class 0."""
        return self.categories + 1
