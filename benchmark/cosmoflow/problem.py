"""CosmoFlow's problems: the network that they prescribe, the data, and for a synthetic one its universes."""

from dataclasses import dataclass, replace
from typing import ClassVar

from benchmark.problem import Samples

PARAMETERS = 4  # that a network predicts, each in about [-1, 1]


@dataclass(frozen=True)
class Universe:
    """The distribution of synthetic universes; see benchmark/cosmoflow/universe.py. Each range is of one parameter:
    the value at -1 and at 1."""

    density: tuple[float, float]  # particles a voxel, on average
    amplitude: tuple[float, float]  # standard deviation of the last channel's Gaussian field
    tilt: tuple[float, float]  # minus the exponent of the power spectrum
    growth: tuple[float, float]  # amplitude of a channel over that of the next


@dataclass(frozen=True)
class Problem(Samples):
    """The definition of a CosmoFlow problem. `side` is in voxels. Without a `universe` the data are the published
    ones, which each site gets itself."""

    workload: ClassVar[str] = "cosmoflow"

    name: str
    side: int  # samples are side^3
    channels: int  # redshifts
    width: int  # channels of the first convolution; they double from block to block
    blocks: int  # convolution and pooling, each of which halves the side
    kernel: int  # side of the convolutions' kernels
    train_samples: int
    validation_samples: int
    target: float  # mean absolute error, at most
    data_seed: int = 0  # of a universe
    format: str = "tfrecord"  # that is generated; what is read may be the other
    universe: Universe | None = None

    def __post_init__(self) -> None:
        if self.kernel not in (2, 3):
            raise ValueError(f"kernel: found {self.kernel}, wanted 2 or 3")
        self.check_samples()
        if self.blocks < 1 or self.side < 1 or self.side % self.brick:
            raise ValueError(
                f"side: found {self.side}, wanted a multiple of 2^{self.blocks}, as there are that many blocks"
            )
        if self.universe and (self.side < 4 or self.side & (self.side - 1)):
            raise ValueError(f"side: found {self.side}, wanted 4, 8, 16 ... for a universe")
        if self.format not in ("tfrecord", "hdf5"):
            raise ValueError(f"format: found {self.format!r}, wanted tfrecord or hdf5")

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.side, self.side, self.side

    @property
    def brick(self) -> int:
        """The side of a brick, which is the unit of the fingerprint: the voxels that the blocks reduce to one."""
        return 1 << self.blocks

    @property
    def most_boxes(self) -> tuple[int, int, int]:
        """The most boxes that each axis can be cut into: a power of two. A box has whole bricks, so that no pooling
        window straddles two boxes."""
        coarsest = self.side // self.brick
        most = coarsest & -coarsest
        return most, most, most


def held_out(known: Problem, seed: int) -> Problem:
    """Return the same problem with fresh universes of this seed. Raises ValueError if its data are real."""
    if known.universe is None:
        raise ValueError(f"{known.name} has no generator: its data are real")
    return replace(known, data_seed=seed)
