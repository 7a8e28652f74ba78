"""DeepCAM's problem definitions: the published dataset, and small generated twins of it."""

from dataclasses import dataclass, replace
from typing import ClassVar

from benchmark.problem import Samples

CHANNELS = 16
CLASSES = ("background", "cyclone", "river")  # labels 0, 1, 2
STRIDE = 16  # of the encoder: extents are multiples


@dataclass(frozen=True)
class Twin:
    """The content of a generated sample, see benchmark/deepcam/twin.py. Each range has its least and greatest value.

    Contrasts are in units of the background's greatest possible deviation.
    """

    cyclones: tuple[int, int]  # in a sample
    rivers: tuple[int, int]
    decoys: tuple[int, int]  # of each kind: cold lows without rotation, round moist patches without a flow
    radius: tuple[float, float]  # of a cyclone, in pixels
    half_width: tuple[float, float]  # of a river, in pixels
    contrast: tuple[float, float]  # of pressure, warmth, moisture
    wind: tuple[float, float]  # of a cyclone's rotation and a river's flow
    grain: float  # noise of each value alone, uniform within +- this


@dataclass(frozen=True)
class Problem(Samples):
    """The definition of a DeepCAM problem. Samples are `height` x `width` pixels of 16 channels. Without a `twin` they
    are the published ones, which each site gets itself."""

    workload: ClassVar[str] = "deepcam"

    name: str
    height: int
    width: int
    divisor: int  # the network's published widths are divided by it
    middle: int  # blocks of the encoder's middle
    train_samples: int
    validation_samples: int
    target: float  # validation IoU
    data_seed: int = 0
    twin: Twin | None = None

    def __post_init__(self) -> None:
        for field in ("height", "width"):
            found = getattr(self, field)
            if found < STRIDE or found % STRIDE:
                raise ValueError(f"{field}: found {found}, wanted a multiple of {STRIDE}")
        self.check_samples()
        if self.middle < 1:
            raise ValueError(f"middle: found {self.middle}, wanted at least 1")
        if self.divisor not in (1, 2, 4, 8):
            raise ValueError(f"divisor: found {self.divisor}, wanted 1, 2, 4 or 8")

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.height, self.width

    @property
    def most_boxes(self) -> tuple[int, int, int]:
        """One box for each axis: samples are never split."""
        return 1, 1, 1


def held_out(known: Problem, seed: int) -> Problem:
    """Return the same problem with fresh weather of this seed. Raises ValueError if its data are real."""
    if known.twin is None:
        raise ValueError(f"{known.name} has no generator: its data are real")
    return replace(known, data_seed=seed)
