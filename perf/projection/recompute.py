"""What blocks run again in the backward pass, as a step of a ladder: nothing, their norms, or all that they do."""

from dataclasses import replace
from typing import TypeVar

from implementations.pytorch.config import RunConfig

LADDER = ("no", "norms", "yes")  # every step keeps less, and computes more
C = TypeVar("C", bound=RunConfig)


def step_of(config: RunConfig) -> str:
    """Where on the ladder a config is."""
    return "yes" if config.recompute else "norms" if config.recompute_norms else "no"


def at_step(config: C, step: str) -> C:
    """`config` at that step of the ladder, which is one of `LADDER`."""
    return replace(config, recompute=step == "yes", recompute_norms=step == "norms")


def steps_to_try(config: RunConfig, asked: str) -> tuple[str, ...]:
    """The steps that `asked` allows: that one, or, of "auto", the config's own, and those that keep less."""
    return LADDER[LADDER.index(step_of(config)) :] if asked == "auto" else (asked,)
