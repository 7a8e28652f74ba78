"""Comparing the environment manifests beside the logs of two or more sets of runs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchmark.environment.manifest import LARGEST
from compliance.reading.environment import Environment, read_environment
from compliance.reading.run import Run
from results.differences import ABSENT, Side, joined, plain

SKIPPED = ("command", "config", "lscpu")  # differ between runs, or repeat settings and other facts
MOST_ROWS = 200
DEEPEST = 2  # levels of nested facts that get rows of their own


def environment_differences(compared: Sequence[Side]) -> list[tuple[str, list[str]]]:
    """(fact, its value in each set) for each fact in which sets with manifests differ; [] if no run has a manifest.

    The first row says how many runs of each set have one. Values that differ inside a set are in one text. At most
    MOST_ROWS facts are listed.
    """
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
    """The manifest that a run wrote at its start; None if it is missing, damaged, or not the one that the log names."""
    if not run.environments:
        return None
    first = run.environments[0]
    return read_environment(run.file.with_name(first.file), first.digest, LARGEST)


def table(environments: Iterable[Environment]) -> tuple[int, dict[str, str]]:
    """(number of manifests, values of each fact by its path). Manifests are read one at a time: they may be large."""
    number, found = 0, defaultdict[str, dict[str, None]](dict)  # values in their order, each once
    for environment in environments:
        number += 1
        for name, value in (*environment.run.items(), *environment.node.items()):
            for key, said in leaves(name, value, DEEPEST) if name not in SKIPPED and value is not None else ():
                found[key[:100]][said] = None
    return number, joined(found)


def leaves(key: str, value: Any, deeper: int) -> Iterator[tuple[str, str]]:
    """(path, value) of each entry of a fact; mappings are opened `deeper` levels deep."""
    if type(value) is dict and deeper:
        for name, inner in value.items():
            yield from leaves(f"{key}.{name}", inner, deeper - 1)
    else:
        yield key, plain(value)
