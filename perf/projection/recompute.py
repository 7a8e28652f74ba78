"""The levels of recomputation in the backward pass: nothing, the norms of a block, or the whole block."""

from dataclasses import replace
from typing import TypeVar

from implementations.pytorch.config import RunConfig

LADDER = ("no", "norms", "yes")  # each level keeps less memory and computes more
C = TypeVar("C", bound=RunConfig)


def step_of(config: RunConfig) -> str:
    """The level of a config."""
    return "yes" if config.recompute else "norms" if config.recompute_norms else "no"


def at_step(config: C, step: str) -> C:
    """The config at a level of LADDER."""
    return replace(config, recompute=step == "yes", recompute_norms=step == "norms")


def steps_to_try(config: RunConfig, asked: str) -> tuple[str, ...]:
    """The levels to try: the one asked for, or for "auto" the config's own and all that keep less."""
    return LADDER[LADDER.index(step_of(config)) :] if asked == "auto" else (asked,)
