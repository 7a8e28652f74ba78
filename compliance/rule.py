"""The decorator that makes a function the check of a rule, and the order in which checks run."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from compliance.finding import Fault

Function = TypeVar("Function", bound=Callable[..., Iterable[Fault]])
LOGS = ("alike", "sound", "every")
PREMISES = {  # level -> the levels whose errors keep its rules from being checked
    "log": ("log",), "tree": ("tree",), "set": ("log", "tree", "set"), "submission": ("tree", "submission"),
    "round": (), "waiver": (),
}  # fmt: skip
LEVELS = tuple(PREMISES)
OF_A_KEY = ("LOG01", "LOG04", "LOG05", "LOG06", "LOG14")  # rules by which one key of a log can't be used
ANY = "*"  # stands for the key of a fault that names none

# What logs are of, and sets of them; those of a campaign of tuning are trials or confirmations in addition.
RUN = frozenset({"run"})  # training up to a target
STEPS = frozenset({"steps"})  # throughput alone
IO = frozenset({"io"})  # a trial of the input
TRIAL = frozenset({"trial"})
CONFIRMATION = frozenset({"confirmation"})
RUNS = RUN | TRIAL | CONFIRMATION
EVERY = RUNS | STEPS | IO


@dataclass(frozen=True)
class Check:
    """The check of one rule.

    `after`: the codes of its premises. `reads`: the keys of a log, or names of groups of keys, without which it says
    nothing. After an error of a premise, or one by which such a key can't be used, this check is skipped, so that one
    fault is one finding and not a dozen. Premises of premises count, too. A check of a set does not look at the logs
    that break a premise of theirs. `on`: the kinds of logs, and of sets of them, to which the rule applies. `gate`: a
    log with an error of this rule is judged no further. `needs`: the numbers of a problem against which it holds runs;
    an edition without one of them is refused. `runs`: the logs of a set that the check looks at: those of the set's own
    kind (alike), runs and throughput-only logs (sound), or also logs that a gate stopped (every).
    """

    code: str
    level: str
    severity: str
    after: frozenset[str]
    reads: tuple[str, ...]
    on: frozenset[str]
    gate: bool
    needs: tuple[str, ...]
    runs: str
    function: Callable[..., Iterable[Fault]]


CHECKS: dict[str, Check] = {}


def rule(
    code: str,
    level: str,
    severity: str = "error",
    after: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    on: frozenset[str] = RUNS,
    gate: bool = False,
    needs: tuple[str, ...] = (),
    runs: str = "alike",
) -> Callable[[Function], Function]:
    """Mark a generator of `Fault`s as the check of the rule `code`, whose text is in `rules/texts/`. Raises ValueError
    for a code that is taken, an unknown level or kind of log, and `reads` where logs are judged already."""

    def mark(function: Function) -> Function:
        if code in CHECKS or level not in LEVELS or runs not in LOGS or not on <= EVERY:
            raise ValueError(f"check {function.__name__}: {code} is taken, or no such level or logs")
        if reads and level not in ("log", "set"):
            raise ValueError(f"check {function.__name__}: found reads, wanted a look at `broken` of each run")
        CHECKS[code] = Check(code, level, severity, frozenset(after), reads, on, gate, needs, runs, function)
        return function

    return mark


def of_keys(code: str, keys: Iterable[str]) -> set[str]:
    """Return the names under which an error of a rule is known: its code alone, and with each key that it is about. One
    about no key may be about any."""
    return {code, *(f"{code} {key}" for key in tuple(keys) or (ANY,))}


def hides(broken: Iterable[str], key: str) -> bool:
    """Return whether one of a log's errors, as `of_keys` has them, may be why it has no event of a key."""
    return not {f"{code} {name}" for code in OF_A_KEY for name in (key, ANY)}.isdisjoint(broken)


def _before(code: str) -> set[str]:
    """Return the codes of a rule's own premises, those of the keys that it reads among them."""
    known = CHECKS.get(code)
    return {*known.after, *(OF_A_KEY if known.reads else ())} if known else set()


@functools.cache
def premises(code: str) -> frozenset[str]:
    """Return the codes of a rule's premises, direct and indirect."""
    found: set[str] = set()
    todo = [code]
    while todo:
        new = _before(todo.pop()) - found
        found |= new
        todo += new
    return frozenset(found)


@functools.cache
def breaking(code: str) -> frozenset[str]:
    """Return the names of errors, as `of_keys` has them, after which a check is skipped: those of its premises, and of
    these rules only those about a key that it reads."""
    found: set[str] = set()
    for known in (CHECKS[c] for c in (code, *premises(code)) if c in CHECKS):
        found.update(known.after, *({f"{c} {key}" for c in OF_A_KEY} for key in (*known.reads, ANY) if known.reads))
    return frozenset(found)


@functools.lru_cache(maxsize=256)
def applying(codes: frozenset[str], kinds: frozenset[str]) -> frozenset[str]:
    """Return the codes of the rules that apply to a log, or to a set, of these kinds."""
    return frozenset(code for code in codes if code not in CHECKS or kinds <= CHECKS[code].on)


@functools.lru_cache(maxsize=256)
def ordered(level: str, codes: frozenset[str]) -> tuple[Check, ...]:
    """Return the checks of a level among `codes`, each after its premises. Their `after` has the names of all errors
    after which they are skipped. Raises ValueError for a premise that would not count."""
    chosen = {c.code: c for c in CHECKS.values() if c.level == level and c.code in codes}
    graph = TopologicalSorter({code: [p for p in sorted(premises(code)) if p in chosen] for code in sorted(chosen)})
    for check in chosen.values():
        for p in check.after & CHECKS.keys():
            if CHECKS[p].level not in PREMISES[level]:
                found = f"{check.code}: found the premise {p}, of the level {CHECKS[p].level}"
                raise ValueError(f"{found}, wanted {' or '.join(PREMISES[level]) or 'none'}")
    try:
        order = tuple(graph.static_order())
    except CycleError as error:
        raise ValueError(f"checks wait for each other: {' -> '.join(error.args[1])}") from None
    return tuple(replace(chosen[code], after=breaking(code)) for code in order)
