"""A check is a function with the rule's code; its docstring's first line is the rule's sentence."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

LEVELS = ("log", "tree", "set", "submission", "round", "waiver")


@dataclass(frozen=True)
class Check:
    """A check. `after`: the codes whose rules are its premise: where one of them found a fault, this one is not
    judged, so that one fault is one finding and not a dozen."""

    code: str
    sentence: str
    level: str
    severity: str
    after: tuple[str, ...]
    function: Callable


CHECKS: dict[str, Check] = {}


def rule(code: str, level: str, severity: str = "error", after: tuple[str, ...] = ()) -> Callable:
    """Marks a generator of `Fault`s as the check of the rule `code`."""

    def mark(function: Callable) -> Callable:
        sentence = (function.__doc__ or "").strip().splitlines()[0].strip().rstrip(".")
        if code in CHECKS or level not in LEVELS or not sentence:
            raise ValueError(f"check {function.__name__}: code {code} taken, no sentence, or no such level {level!r}")
        CHECKS[code] = Check(code, sentence, level, severity, after, function)
        return function

    return mark


@functools.lru_cache(maxsize=256)
def ordered(level: str, codes: frozenset[str]) -> tuple[Check, ...]:
    """The checks of a level among `codes`, each behind those that it is judged after."""
    chosen = {c.code: c for c in CHECKS.values() if c.level == level and c.code in codes}
    done: dict[str, Check] = {}

    def visit(check: Check, trail: tuple[str, ...]) -> None:
        if check.code in done:
            return
        if check.code in trail:
            raise ValueError(f"checks wait for each other: {' -> '.join((*trail, check.code))}")
        for code in check.after:
            if code in chosen:
                visit(chosen[code], (*trail, check.code))
        done[check.code] = check

    for check in chosen.values():
        visit(check, ())
    return tuple(done.values())
