"""The limits of energy counters."""

import math
from dataclasses import dataclass, field

SCOPES = ("node", "module", "device", "package")  # what a counter counts


@dataclass(frozen=True)
class Energy:
    """Limits of energy counters in a log."""

    edge: float  # seconds that a reading may be from its event
    excess: float  # multiple of a limit in watts up to which a mean power is plausible
    watts: dict[str, float] = field(default_factory=dict)  # scope -> most watts that it may draw
    conversion: tuple[float, float] = (0.0, 1.0)  # between which a meter's factor, conversion_eff, lies
    gap: float = math.inf  # seconds: see `longest_gap`
    gap_share: float = 0.0
    of_counters: float = 0.0  # of the joules that a run's counters read, the least share that its meter measures

    def __post_init__(self) -> None:
        if set(self.watts) != set(SCOPES):
            raise ValueError(f"watts: found {sorted(self.watts)}, wanted watts of {', '.join(SCOPES)}")
        if min(self.edge, self.excess, *self.watts.values()) <= 0:
            raise ValueError("found a limit of 0 or less, wanted positive limits")

    def longest_gap(self, seconds: float) -> float:
        """Return the most seconds between two readings of a meter in a run of so many: `gap` or `gap_share` of the run,
        whichever is longer. A run too short for `gap` needs a reading in its middle: half of it is the most."""
        return max(min(self.gap, seconds / 2), self.gap_share * seconds)
