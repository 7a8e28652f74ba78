"""How far a replay is from the run that it repeats."""

from collections.abc import Sequence
from dataclasses import dataclass

from .logged import Epoch


@dataclass(frozen=True)
class Distance:
    """Of one epoch: the difference of the loss relative to the logged one, and that of the score. `exact` says that
    loss, score and all that the score follows from are the same numbers."""

    loss: float
    score: float
    exact: bool

    def within(self, loss: float, score: float) -> bool:
        """Whether neither difference is larger than these."""
        return self.loss <= loss and self.score <= score


def distances(logged: Sequence[Epoch], replayed: Sequence[Epoch]) -> list[Distance]:
    """The distance of each epoch that both have."""
    return [distance(a, b) for a, b in zip(logged, replayed, strict=False)]


def distance(logged: Epoch, replayed: Epoch) -> Distance:
    """The distance of an epoch."""
    loss = abs(replayed.loss - logged.loss)
    relative = loss / abs(logged.loss) if logged.loss else loss
    return Distance(relative, abs(replayed.score - logged.score), logged == replayed)
