"""DeepCAM's problem definitions: the published dataset, and small twins of it that are generated."""

from dataclasses import dataclass, replace
from typing import ClassVar

from benchmark.problem import digest, split_samples

CHANNELS = 16
CLASSES = ("background", "cyclone", "river")  # labels 0, 1, 2
STRIDE = 16  # of the encoder: extents are multiples


@dataclass(frozen=True)
class Twin:
    """What a generated sample holds; see benchmark/deepcam/twin.py. Ranges are least and greatest.

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
class Problem:
    """A problem. Samples are `height` x `width` pixels of 16 channels; without a `twin` they come from elsewhere."""

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
        for field in ("middle", "train_samples", "validation_samples"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}: found {getattr(self, field)}, wanted at least 1")
        if self.divisor not in (1, 2, 4, 8):
            raise ValueError(f"divisor: found {self.divisor}, wanted 1, 2, 4 or 8")

    @property
    def samples(self) -> int:
        return self.train_samples + self.validation_samples

    @property
    def shape(self) -> tuple[int, int, int]:
        return 1, self.height, self.width

    @property
    def most_boxes(self) -> tuple[int, int, int]:
        """Samples are never split."""
        return 1, 1, 1

    def digest(self) -> str:
        """Two problems are the same if this is."""
        return digest(self)

    def split_samples(self, split: str) -> range:
        """The sample ids of "train" or "validation": the training samples come first."""
        return split_samples(self, split)


def held_out(known: Problem, seed: int) -> Problem:
    """The same problem with fresh weather of this seed. Raises ValueError for one that is no twin."""
    if known.twin is None:
        raise ValueError(f"{known.name} has no generator: its data are real")
    return replace(known, data_seed=seed)
