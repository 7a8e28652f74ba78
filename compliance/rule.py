"""The decorator that makes a function the check of a rule, and the order in which checks run."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from compliance.finding import Fault

Function = TypeVar("Function", bound=Callable[..., Iterable[Fault]])
LEVELS = ("log", "tree", "set", "submission", "round", "waiver")
RUNS = ("alike", "sound", "every")


@dataclass(frozen=True)
class Check:
    """The check of one rule.

    `after`: the codes of its premises. After an error of one of them this check is skipped, so that one fault is one
    finding and not a dozen. Premises of premises count, too. A check of a set does not look at the logs that break a
    premise of theirs. `gate`: a log with an error of this rule is judged no
    further. `runs`: the logs of a set that the check looks at: those of the set's own kind (alike), runs and
    throughput-only logs (sound), or also logs that a gate stopped (every).
    """

    code: str
    sentence: str
    level: str
    severity: str
    after: tuple[str, ...]
    gate: bool
    runs: str
    function: Callable[..., Iterable[Fault]]


CHECKS: dict[str, Check] = {}


def rule(
    code: str,
    level: str,
    severity: str = "error",
    after: tuple[str, ...] = (),
    gate: bool = False,
    runs: str = "alike",
) -> Callable[[Function], Function]:
    """Mark a generator of `Fault`s as the check of the rule `code`. The first line of its docstring is the rule's
    sentence. Raises ValueError for a code that is taken, a missing sentence, or an unknown level."""

    def mark(function: Function) -> Function:
        sentence = (function.__doc__ or "").strip().partition("\n")[0].strip().rstrip(".")
        if code in CHECKS or level not in LEVELS or runs not in RUNS or not sentence:
            raise ValueError(f"check {function.__name__}: code {code} taken, no sentence, or no such level {level!r}")
        CHECKS[code] = Check(code, sentence, level, severity, after, gate, runs, function)
        return function

    return mark


@functools.cache
def premises(code: str) -> frozenset[str]:
    """Return the codes of a rule's premises, direct and indirect."""
    found: set[str] = set()
    todo = [code]
    while todo:
        known = CHECKS.get(todo.pop())
        new = set(known.after if known else ()) - found
        found |= new
        todo += new
    return frozenset(found)


@functools.lru_cache(maxsize=256)
def ordered(level: str, codes: frozenset[str]) -> tuple[Check, ...]:
    """Return the checks of a level among `codes`, each after its premises, with all premises in `after`."""
    chosen = {c.code: c for c in CHECKS.values() if c.level == level and c.code in codes}
    graph = TopologicalSorter({code: [p for p in sorted(premises(code)) if p in chosen] for code in sorted(chosen)})
    try:
        order = tuple(graph.static_order())
    except CycleError as error:
        raise ValueError(f"checks wait for each other: {' -> '.join(error.args[1])}") from None
    return tuple(replace(chosen[code], after=tuple(sorted(premises(code)))) for code in order)
