"""Bands for re-evaluated weights: how far honest results were from the logged ones (`problems` in limits.yaml)."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Reevaluation:
    """The largest differences of honest re-evaluations on other machines: of a count or sum, relative to the logged
    one, and of the score."""

    counts: float
    score: float

    def __post_init__(self) -> None:
        for name, found in vars(self).items():
            if not 0 < found < 1:
                raise ValueError(f"{name}: found {found}, wanted a number above 0 and below 1")


@dataclass(frozen=True)
class HeldOut:
    """Held-out minus logged scores of honest runs: mean, standard deviation, and number of evaluations. The sign is
    reversed for scores of which less is better, so that negative is always worse."""

    mean: float
    spread: float
    runs: int

    def __post_init__(self) -> None:
        if not 0 < self.spread < math.inf:
            raise ValueError(f"spread: found {self.spread}, wanted a number above 0")
        if self.runs < 2:
            raise ValueError(f"runs: found {self.runs}, wanted 2 or more")

    def least(self, deviations: float) -> float:
        """Return the lower end of the band: so many standard deviations, of the difference between another run and the
        mean, below the mean."""
        return self.mean - deviations * self.spread * math.sqrt(1 + 1 / self.runs)
