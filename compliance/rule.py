"""A check is a function with the rule's code; its docstring's first line is the rule's sentence."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

LEVELS = ("log", "tree", "set", "submission", "round", "waiver")
RUNS = ("alike", "sound", "every")


@dataclass(frozen=True)
class Check:
    """A check.

    `after`: the codes whose rules are its premise: where one of them found an error, this one is not judged, so that
    one fault is one finding and not a dozen. What those rules rest on themselves is a premise, too. `gate`: a log with
    an error of this rule is not judged further. `runs`: which runs of a set the check looks at: those of the set's own
    kind (alike), of both kinds, runs and throughput-only logs (sound), or every log, also one that is not judged
    further.
    """

    code: str
    sentence: str
    level: str
    severity: str
    after: tuple[str, ...]
    gate: bool
    runs: str
    function: Callable


CHECKS: dict[str, Check] = {}


def rule(
    code: str,
    level: str,
    severity: str = "error",
    after: tuple[str, ...] = (),
    gate: bool = False,
    runs: str = "alike",
) -> Callable:
    """Marks a generator of `Fault`s as the check of the rule `code`."""

    def mark(function: Callable) -> Callable:
        sentence = (function.__doc__ or "").strip().partition("\n")[0].strip().rstrip(".")
        if code in CHECKS or level not in LEVELS or runs not in RUNS or not sentence:
            raise ValueError(f"check {function.__name__}: code {code} taken, no sentence, or no such level {level!r}")
        CHECKS[code] = Check(code, sentence, level, severity, after, gate, runs, function)
        return function

    return mark


@functools.cache
def premises(code: str) -> frozenset[str]:
    """The codes that a rule rests on, directly or through others."""
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
    """The checks of a level among `codes`, each behind those that it is judged after; their `after` in full."""
    chosen = {c.code: c for c in CHECKS.values() if c.level == level and c.code in codes}
    graph = TopologicalSorter({code: [p for p in sorted(premises(code)) if p in chosen] for code in sorted(chosen)})
    try:
        order = tuple(graph.static_order())
    except CycleError as error:
        raise ValueError(f"checks wait for each other: {' -> '.join(error.args[1])}") from None
    return tuple(_in_full(chosen[code]) for code in order)


def _in_full(check: Check) -> Check:
    return Check(**{**check.__dict__, "after": tuple(sorted(premises(check.code)))})
