"""The settings of the implementation that learns nothing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """What may be set."""

    batch_size: int = 2
    epochs: int = 3
    threads: int = 1
    learning_rate: float = 1e-3
    warmup_epochs: int = 0
    device: str = "cpu"
