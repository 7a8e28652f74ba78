"""The learning rate."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from implementations.pytorch.scaffold.task import Config


def cosine_warm_restarts(config: "Config", epoch: float) -> float:
    """The rate at `epoch`, a fraction counted from 0: cosines with warm restarts (Loshchilov and Hutter 2017,
    arXiv:1608.03983), each `restart_factor` times as long as the one before, under a linear ramp at the start."""
    start, length = 0.0, float(config.restart_epochs)
    while epoch >= start + length:
        start, length = start + length, length * config.restart_factor
    cosine = (1 + math.cos(math.pi * (epoch - start) / length)) / 2
    rate = config.end_learning_rate + (config.learning_rate - config.end_learning_rate) * cosine
    return rate * min(1.0, epoch / config.warmup_epochs) if config.warmup_epochs else rate
