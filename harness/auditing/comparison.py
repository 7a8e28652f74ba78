"""Compare a replay with the run that it repeats."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.auditing.logged import Epoch


@dataclass(frozen=True)
class Distance:
    """The differences in one epoch: of the loss, relative to the logged one, and of the score. `exact` says that loss,
    score, the numbers behind the score and the state are equal, where both have them. `early` is the difference of the
    loss of the epoch's first steps, relative, or None if one of them has none."""

    loss: float
    score: float
    exact: bool
    early: float | None = None

    def within(self, loss: float, score: float) -> bool:
        """Return whether neither difference is larger than these."""
        return self.loss <= loss and self.score <= score


def distances(logged: Sequence[Epoch], replayed: Sequence[Epoch]) -> dict[float, Distance]:
    """Return the distances, by number, of the epochs that both have."""
    again = {epoch.number: epoch for epoch in replayed}
    return {epoch.number: distance(epoch, again[epoch.number]) for epoch in logged if epoch.number in again}


def distance(logged: Epoch, replayed: Epoch) -> Distance:
    """Return the distance of an epoch."""
    early = None if None in (logged.early, replayed.early) else relative(logged.early, replayed.early)
    exact = (logged.loss, logged.score) == (replayed.loss, replayed.score)
    exact = exact and all(logged.facts.get(name, found) == found for name, found in replayed.facts.items())
    exact = exact and (None in (logged.state, replayed.state) or logged.state == replayed.state)
    return Distance(relative(logged.loss, replayed.loss), abs(replayed.score - logged.score), exact, early)


def relative(logged: float, replayed: float) -> float:
    """Return how far two losses are apart, relative to the logged one; the difference itself where that is 0."""
    return abs(replayed - logged) / (abs(logged) or 1.0)
