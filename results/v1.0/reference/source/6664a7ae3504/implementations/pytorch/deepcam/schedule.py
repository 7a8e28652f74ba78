"""The learning rate by step, in closed form: MLPerf HPC's two schedules and their warm-up."""

import math
from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """Steps are the optimizer's, counted from 0.

    Over `warmup_steps` the rate rises linearly: to `rate` from 0 if `warmup_factor` is 1, else from `rate` to
    `warmup_factor` times that. Then "multistep" multiplies it by `decay` at each of `milestones`, "cosine_annealing"
    lowers it to `end` over `length` steps along half a cosine, up again over the next `length`, and so on. Both count
    their steps from the end of the warm-up; after one, a milestone comes a step later, as published.
    """

    kind: str
    rate: float
    warmup_steps: int = 0
    warmup_factor: float = 1.0
    milestones: tuple[int, ...] = ()
    decay: float = 1.0
    length: int = 1
    end: float = 0.0

    def __call__(self, step: int) -> float:
        """The rate of a step."""
        peak = self.rate * self.warmup_factor
        if step < self.warmup_steps:
            start = 0.0 if self.warmup_factor == 1 else self.rate
            return start + (peak - start) * step / self.warmup_steps
        after = step - self.warmup_steps
        if self.kind == "multistep":
            late = 1 if self.warmup_steps else 0
            return peak * self.decay ** bisect_right(sorted(self.milestones), after - late)
        return self.end + (peak - self.end) * (1 + math.cos(math.pi * after / self.length)) / 2
