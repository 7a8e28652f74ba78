"""Compare a replay with the run that it repeats."""

from collections.abc import Sequence
from dataclasses import dataclass

from .logged import Epoch


@dataclass(frozen=True)
class Distance:
    """The differences in one epoch: of the loss, relative to the logged one, and of the score. `exact` says that loss,
    score and the numbers behind the score are equal."""

    loss: float
    score: float
    exact: bool

    def within(self, loss: float, score: float) -> bool:
        """Return whether neither difference is larger than these."""
        return self.loss <= loss and self.score <= score


def distances(logged: Sequence[Epoch], replayed: Sequence[Epoch]) -> list[Distance]:
    """Return the distance of each epoch that both have."""
    return [distance(a, b) for a, b in zip(logged, replayed, strict=False)]


def distance(logged: Epoch, replayed: Epoch) -> Distance:
    """Return the distance of an epoch."""
    loss = abs(replayed.loss - logged.loss)
    relative = loss / abs(logged.loss) if logged.loss else loss
    return Distance(relative, abs(replayed.score - logged.score), logged == replayed)
