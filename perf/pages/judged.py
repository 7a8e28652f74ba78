"""Which rules judge an event of a log: found in texts and checks of the rules, and in the limits of an edition."""

import ast
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import compliance.families  # noqa: F401  registers the checks
from compliance.reading import run as runs
from compliance.rule import CHECKS
from rules.edition import Edition
from rules.text import Rule

READS = {"first", "all", "value", "line"}  # methods of a log and of a run, called with a key
FACTS = ("seeds", "origin", "source", "weights", "environments", "launch", "resumptions", "init", "resumed")  # of a run
SAME = {"same_code": "RUN04", "same_system": "RUN07", "same_in_set": "RUN08", "same_problem": "RUN09"}
# Families that judge a kind of log of their own, and look at all its events on the way.
OWN = {"ENE": "energy_", "IOT": "io_", "TUN": "trial", "THR": "throughput", "REG": "seed", "LED": "ledger"}
ABOUT = "subjects"  # says what a fault is about, and reads no event
WIDE = {"THR01", "THR02", "LED04", "LED05", "TUN10", "IOT06"}  # ... but these judge others, too


def judging(keys: frozenset[str], edition: Edition) -> dict[str, list[str]]:
    """Return for each key the codes of the rules that judge it, in the edition's order."""
    found: dict[str, set[str]] = {key: _limited(key, edition) for key in keys}
    for code, rule in edition.rules.items():
        check = CHECKS.get(code)
        read = _found(inspect.unwrap(check.function), keys, ()) if check else frozenset[str]()
        for key in read | _named(rule, keys):
            if code in WIDE or key.startswith(OWN.get(code.rstrip("0123456789"), "")):
                found[key].add(code)
    return {key: [code for code in edition.rules if code in codes] for key, codes in found.items()}


def _named(rule: Rule, keys: frozenset[str]) -> frozenset[str]:
    """Return the keys that a rule's sentence and reason name. A key that is an English word must be in code."""
    text = f"{rule.sentence}\n{rule.reason.partition('Fix:')[0]}"
    return frozenset(k for k in keys if re.search(rf"\b{k}\b" if "_" in k else rf"`{k}`", text))


def _limited(key: str, edition: Edition) -> set[str]:
    """Return the codes of the rules that hold a key against the limits of an edition."""
    wanted = [keys[key] for keys in edition.keys.values() if key in keys]
    judges = {
        "LOG04": any(w.required for w in wanted),
        "LOG05": any(not w.many for w in wanted),
        "LOG06": any(w.kind and not w.closed for w in wanted),
        "LOG09": any(w.choices and not w.closed for w in wanted),
        "HYP01": any(w.closed for w in wanted),
        "HYP03": any(key in benchmark.configured_keys for benchmark in edition.benchmarks.values()),
    }
    judges |= {code: key in getattr(edition.limits, group) for group, code in SAME.items()}
    return {code for code, yes in judges.items() if yes}


@cache
def _found(function: Callable[..., Any], keys: frozenset[str], above: tuple[Any, ...]) -> frozenset[str]:
    """Return the keys of which a function, or one that it calls, reads the events; `above` are those that call it."""
    if function in above:
        return frozenset()
    known = vars(inspect.getmodule(function))
    return frozenset(_read(_tree(function), known, keys, (*above, function)))


def _read(node: ast.AST, known: Mapping[str, Any], keys: frozenset[str], above: tuple[Any, ...]) -> Iterator[str]:
    """Yield the keys that code reads, whose names `known` has."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in READS:
            yield from (text for word in part.args[:1] for text in _texts(word, known) if text in keys)
        elif isinstance(part, ast.For | ast.comprehension):
            yield from (text for text in _texts(part.iter, known) if text in keys)
        elif isinstance(part, ast.Constant) and part.value in keys and "_" in part.value:
            yield part.value
        elif isinstance(part, ast.Name) and part.id != ABOUT and isinstance(known.get(part.id), types.FunctionType):
            called = known[part.id]
            if called.__module__.startswith("compliance."):
                yield from _found(inspect.unwrap(called), keys, above)
        elif isinstance(part, ast.Attribute) and part.attr in _facts():
            yield from _read(_facts()[part.attr], vars(runs), keys, above)
        elif isinstance(part, ast.Attribute) and part.attr == "metric":
            yield from keys & {"eval_accuracy", "eval_error"}


def _texts(node: ast.AST, known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts that an expression names: literals, and constants of the module."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name):
            value = known.get(part.id)
            yield from [value] if isinstance(value, str) else value if isinstance(value, tuple) else ()


@cache
def _facts() -> dict[str, ast.AST]:
    """Return for each field of a run the expression that reads it from the log."""
    made = next(n for n in ast.walk(_tree(runs.run_of)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "Run")
    return {word.arg: word.value for word in made.keywords if word.arg in FACTS}


@cache
def _tree(function: Callable[..., Any]) -> ast.AST:
    """Return a function without its decorators, which name what it can't be judged without."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            part.decorator_list = []
    return tree
