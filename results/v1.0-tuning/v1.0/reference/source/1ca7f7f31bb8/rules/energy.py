"""The limits of readings of energy."""

from collections.abc import Iterable
from dataclasses import dataclass, field

SCOPES = ("node", "module", "device", "package")  # what a counter counts


@dataclass(frozen=True)
class Energy:
    """Limits of readings of energy in a log."""

    edge: float  # seconds that a reading may be from the event that it belongs to
    excess: float  # of a limit in watts, up to which a mean power is believed
    watts: dict[str, float] = field(default_factory=dict)  # scope -> the most that what a counter counts may draw

    def __post_init__(self) -> None:
        if set(self.watts) != set(SCOPES):
            raise ValueError(f"watts: found {sorted(self.watts)}, wanted watts of {', '.join(SCOPES)}")
        if min(self.edge, self.excess, *self.watts.values()) <= 0:
            raise ValueError("found a limit of 0 or less, wanted positive limits")


def refuse_without(limits: Energy | None, codes: Iterable[str], where: str) -> None:
    """Raises ValueError, opened by `where`, if rules of energy are in force and have no limits."""
    if limits is None and any(code.startswith("ENE") for code in codes):
        raise ValueError(f"{where}: energy: found none, wanted the limits of the rules ENE")
