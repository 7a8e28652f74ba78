"""How far what is evaluated again may be from what a run logged: bands that honest runs gave, in `problems` of
limits.yaml."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Reevaluation:
    """The largest differences of honest re-evaluations on other machines: of a count (or sum), relative to the logged
    one, and of the score."""

    counts: float
    score: float

    def __post_init__(self) -> None:
        for name, found in vars(self).items():
            if not 0 < found < 1:
                raise ValueError(f"{name}: found {found}, wanted a number above 0 and below 1")


@dataclass(frozen=True)
class HeldOut:
    """Held-out scores of honest runs, minus their logged ones; where less is better, the other way round, so that worse
    is negative everywhere: the mean, the standard deviation, and of how many evaluations."""

    mean: float
    spread: float
    runs: int

    def __post_init__(self) -> None:
        if not 0 < self.spread < math.inf:
            raise ValueError(f"spread: found {self.spread}, wanted a number above 0")
        if self.runs < 2:
            raise ValueError(f"runs: found {self.runs}, wanted 2 or more")

    def least(self, deviations: float) -> float:
        """The lower end of the band, so many standard deviations of another run's difference from the measured mean
        below it."""
        return self.mean - deviations * self.spread * math.sqrt(1 + 1 / self.runs)
