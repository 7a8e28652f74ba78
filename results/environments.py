"""In what the environments of sets of runs differ: the manifests beside their logs, fact by fact."""

from collections.abc import Iterator, Sequence
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
    found = [[environment for run in s.runs if (environment := environment_of(run))] for s in compared]
    if not any(found):
        return []
    counts = [f"{len(some)} of {len(s.runs)} runs" if some else ABSENT for some, s in zip(found, compared, strict=True)]
    tables = [table(some) for some in found]
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


def table(environments: Sequence[Environment]) -> dict[str, str]:
    """Every fact of some runs, by its path."""
    found: dict[str, list[str]] = {}
    for environment in environments:
        for name, value in (*environment.run.items(), *environment.node.items()):
            for key, said in leaves(name, value, DEEPEST) if name not in SKIPPED and value is not None else ():
                if said not in found.setdefault(key[:100], []):
                    found[key[:100]].append(said)
    return {key: " | ".join(values[:MOST_VALUES]) for key, values in found.items()}


def leaves(key: str, value: Any, deeper: int) -> Iterator[tuple[str, str]]:
    """A fact's entries by path."""
    if type(value) is dict and deeper:
        for name, inner in value.items():
            yield from leaves(f"{key}.{name}", inner, deeper - 1)
    else:
        yield key, plain(value)
