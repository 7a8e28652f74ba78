"""ScaFFold's problems with fresh data, on which reviewers evaluate final weights again."""

import math
from dataclasses import dataclass, fields

from benchmark.scaffold.problem import Problem

STEPS = 144  # instances of a category between the steps of the others: 12 parameters, 12 steps


@dataclass(frozen=True)
class HeldOut(Problem):
    """A problem whose instances are in no dataset, since their factors lie between the steps of all others. Its
    `data_seed` draws the factors and everything else. `held_out` makes one from a valid problem."""

    unseen: bool = True  # tells its digest from that of any other problem

    def __post_init__(self) -> None:
        if self.instances > STEPS:
            raise ValueError(
                f"instances: found {self.instances}, wanted at most {STEPS}: others have no step of their own"
            )

    def split_instances(self, split: str) -> int:
        """Return the number of all instances: every split uses them all, so that scores of two seeds differ little."""
        return self.categories * self.instances


def held_out(problem: Problem, seed: int) -> HeldOut:
    """Return the same problem with fresh data of this seed, which share no instance with the problem's own data.

    The validation split is as large as the problem's own, or larger where it must be to have each instance equally
    often.
    """
    values = {field.name: getattr(problem, field.name) for field in fields(problem)}
    pool = problem.categories * problem.instances
    step = pool // math.gcd(pool, problem.fractals)
    samples = -(-problem.validation_samples // step) * step
    return HeldOut(**values | {"data_seed": seed, "validation_samples": samples})
