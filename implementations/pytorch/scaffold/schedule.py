"""The learning rate: cosines with warm restarts under a linear warm-up."""

import math


def cosine_warm_restarts(
    epoch: float, rate: float, end_rate: float, restart_epochs: int, restart_factor: float, warmup_epochs: float
) -> float:
    """The rate at `epoch`, a fraction counted from 0: cosines from `rate` to `end_rate` with warm restarts (Loshchilov
    and Hutter 2017, arXiv:1608.03983). The first takes `restart_epochs`, each further one `restart_factor` times as
    long as the one before. Over the first `warmup_epochs` the rate is also multiplied by a linear ramp from 0 to 1."""
    start, length = 0.0, float(restart_epochs)
    while epoch >= start + length:
        start, length = start + length, length * restart_factor
    cosine = (1 + math.cos(math.pi * (epoch - start) / length)) / 2
    found = end_rate + (rate - end_rate) * cosine
    return found * min(1.0, epoch / warmup_epochs) if warmup_epochs else found
