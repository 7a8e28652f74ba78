"""Compare a replay with the run that it repeats."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.auditing.logged import Epoch


@dataclass(frozen=True)
class Distance:
    """The differences in one epoch: of the loss, relative to the logged one, and of the score. `exact` says that loss,
    score, the numbers behind the score and the state are equal, where both have them."""

    loss: float
    score: float
    exact: bool

    def within(self, loss: float, score: float) -> bool:
        """Return whether neither difference is larger than these."""
        return self.loss <= loss and self.score <= score


def distances(logged: Sequence[Epoch], replayed: Sequence[Epoch]) -> dict[float, Distance]:
    """Return the distances, by number, of the epochs that both have."""
    again = {epoch.number: epoch for epoch in replayed}
    return {epoch.number: distance(epoch, again[epoch.number]) for epoch in logged if epoch.number in again}


def distance(logged: Epoch, replayed: Epoch) -> Distance:
    """Return the distance of an epoch."""
    loss = abs(replayed.loss - logged.loss)
    relative = loss / abs(logged.loss) if logged.loss else loss
    exact = (logged.loss, logged.score) == (replayed.loss, replayed.score)
    exact = exact and all(logged.facts.get(name, found) == found for name, found in replayed.facts.items())
    exact = exact and (None in (logged.state, replayed.state) or logged.state == replayed.state)
    return Distance(relative, abs(replayed.score - logged.score), exact)
