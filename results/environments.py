"""In what the environments of sets of runs differ: the manifests beside their logs, fact by fact."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from benchmark.environment.manifest import LARGEST
from compliance.reading.environment import Environment, read_environment
from compliance.reading.run import Run
from results.differences import ABSENT, Side, plain

SKIPPED = ("command", "config", "lscpu")  # of a run alone, told as settings, or told in other facts
MOST_ROWS, MOST_VALUES = 200, 5
DEEPEST = 2  # levels of a fact that have rows of their own


def environment_differences(compared: Sequence[Side]) -> list[tuple[str, list[str]]]:
    """(fact, its value in each set) where sets with manifests differ, after how many runs have one; nothing where none
    has. Values that differ inside a set are all shown."""
    both = [table(filter(None, map(environment_of, s.runs))) for s in compared]
    found, tables = [some for some, _ in both], [one for _, one in both]
    if not any(found):
        return []
    counts = [f"{some} of {len(s.runs)} runs" if some else ABSENT for some, s in zip(found, compared, strict=True)]
    keys = dict.fromkeys(key for one in tables for key in one)
    rows = [(key, [one.get(key, ABSENT) for one in tables]) for key in keys]
    differ = [
        (key, values)
        for key, values in rows
        if len({value for value, some in zip(values, found, strict=True) if some}) > 1
    ]
    more = [(f"and {len(differ) - MOST_ROWS} facts more", [ABSENT] * len(found))] if len(differ) > MOST_ROWS else []
    return [("manifests", counts), *differ[:MOST_ROWS], *more]


def environment_of(run: Run) -> Environment | None:
    """The manifest of a run's start, if it is there as the log names it, and sound."""
    if not run.environments:
        return None
    first = run.environments[0]
    return read_environment(run.file.with_name(first.file), first.digest, LARGEST)


def table(environments: Iterable[Environment]) -> tuple[int, dict[str, str]]:
    """How many runs these are of, and every fact by its path. No more than one of them is held at a time."""
    number, found = 0, defaultdict[str, dict[str, None]](dict)  # values in their order, each once
    for environment in environments:
        number += 1
        for name, value in (*environment.run.items(), *environment.node.items()):
            for key, said in leaves(name, value, DEEPEST) if name not in SKIPPED and value is not None else ():
                found[key[:100]][said] = None
    return number, {key: " | ".join(islice(values, MOST_VALUES)) for key, values in found.items()}


def leaves(key: str, value: Any, deeper: int) -> Iterator[tuple[str, str]]:
    """A fact's entries by path."""
    if type(value) is dict and deeper:
        for name, inner in value.items():
            yield from leaves(f"{key}.{name}", inner, deeper - 1)
    else:
        yield key, plain(value)
