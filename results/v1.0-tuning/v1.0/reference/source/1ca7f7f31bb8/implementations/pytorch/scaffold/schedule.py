"""The learning rate: one cosine after a linear warm-up."""

import math


def cosine_decay(epoch: float, rate: float, end_rate: float, decay_epochs: float, warmup_epochs: float) -> float:
    """The rate at `epoch`, a fraction counted from 0: a cosine (Loshchilov and Hutter 2017, arXiv:1608.03983, without
    restarts) from `rate` to `end_rate` over `decay_epochs`, and `end_rate` from then on. Over the first
    `warmup_epochs` the rate is also multiplied by a linear ramp from 0 to 1."""
    cosine = (1 + math.cos(math.pi * min(1.0, epoch / decay_epochs))) / 2
    found = end_rate + (rate - end_rate) * cosine
    return found * min(1.0, epoch / warmup_epochs) if warmup_epochs else found
