"""Make the events of energy in a log: which counters are read, and their readings.

    energy_sources   [{node, source, scope, device, wraps_at, limit_watts} ...], metadata unreadable, rehearsal
    energy_reading   {"time_ms": [...], "joules": [...]}, an entry for each of the sources; metadata moment, epoch_num,
                     gap_seconds, faults

So that no event grows with the machine, more than ALONE counters are told together: an entry with the fields `counters`
and `nodes` stands for so many equal counters of so many equal nodes, the first of which it names. Its joules are their
sum, and a reading then has `earliest_ms` beside `time_ms`, the latest time.

Joules count from the first reading and do not wrap. They are null where a counter could not be read, and then `faults`
says why. A moment is the event that the reading belongs to: run_start, epoch_stop, ... run_stop. `gap_seconds` is the
longest time between two readings of the counters so far.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmark.energy.choice import Choice
from benchmark.energy.reader import Reading

SOURCES, READING = "energy_sources", "energy_reading"
ALONE = 256  # counters of a run, up to which each is an entry by itself
KINDS = 64  # of equal nodes; of more, their counters are told together by what they count
Entry = dict[str, Any]
MOMENTS = (
    *("run_start", "staging_start", "staging_stop", "epoch_start", "epoch_stop", "eval_start", "eval_stop"),
    "run_stop",
)


class Marked(NamedTuple):
    """A node's reading at a moment of the run. `facts` are metadata of the event that it belongs to."""

    moment: str
    facts: dict[str, Any]
    reading: Reading


def sources(node: str, choice: Choice) -> list[Entry]:
    """Return a node's counters for the log."""
    names = ("source", "scope", "device", "wraps_at", "limit_watts")
    return [{"node": node, **{name: getattr(counter, name) for name in names}} for counter in choice.counters]


def together(nodes: Sequence[Sequence[Entry]]) -> tuple[list[Entry], list[list[int]]]:
    """Return the entries for the counters of all nodes, and which counters each entry stands for, numbered from 0
    through all nodes. Counters are equal if source, scope, wrap and limit are, and nodes if their counters are. If that
    makes more than KINDS kinds of nodes, wrap and limit may differ: an entry then has the soonest and the highest."""
    every = [counter for node in nodes for counter in node]
    if len(every) <= ALONE:
        return every, [[number] for number in range(len(every))]
    for names in (("source", "scope", "wraps_at", "limit_watts"), ("source", "scope")):
        facts = [[tuple(counter[name] for name in names) for counter in node] for node in nodes]
        kinds = [tuple(sorted(map(repr, node))) for node in facts]
        if len(set(kinds)) <= KINDS:
            break
    members: dict[tuple[Any, ...], list[int]] = {}
    hosts: dict[tuple[Any, ...], set[str]] = {}
    keys = ((kind, fact) for kind, node in zip(kinds, facts, strict=True) for fact in node)
    for number, (key, counter) in enumerate(zip(keys, every, strict=True)):
        members.setdefault(key, []).append(number)
        hosts.setdefault(key, set()).add(counter["node"])
    entries = []
    for found, numbers in members.items():
        first = every[numbers[0]]
        wraps = [every[n]["wraps_at"] for n in numbers if every[n]["wraps_at"] is not None]
        limits = [every[n]["limit_watts"] for n in numbers]
        limit = None if None in limits else max(limits)
        more = {"wraps_at": min(wraps, default=None), "limit_watts": limit}
        entries.append({**first, **more, "counters": len(numbers), "nodes": len(hosts[found])})
    return entries, list(members.values())


def unreadable(nodes: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return why sources cannot be read, by node, for the log. Of more than KINDS nodes, those with equal reasons are
    told under the first one's name."""
    if len(nodes) <= KINDS:
        return {node: why for node, why in nodes.items() if why}
    alike: dict[str, list[str]] = {}
    for node, why in nodes.items():
        if why:
            alike.setdefault(repr(sorted(why.items())), []).append(node)
    told = list(alike.values())[:KINDS]
    return {f"{found[0]}{f' and {len(found) - 1} more' * (len(found) > 1)}": nodes[found[0]] for found in told}


def event(nodes: Sequence[Marked], members: Sequence[Sequence[int]] | None = None) -> tuple[Entry, Entry]:
    """Return (value, metadata) of the event with all nodes' readings at one moment, in the order of the sources.
    `members` says which counters an entry stands for, as `together` returns it; each for itself where not given."""
    times: list[int] = []
    joules: list[float | None] = []
    faults: dict[str, str] = {}
    for _, _, reading in nodes:
        faults |= {str(len(joules) + at): why for at, why in reading.faults.items()}
        times += [reading.time_ms] * len(reading.joules)
        joules += reading.joules
    value: Entry = {"time_ms": times, "joules": joules}
    if members is not None and len(members) < len(times):
        value, faults = _summed(times, joules, faults, members)
    moment, facts, _ = nodes[0]
    gap = max(round(reading.gap, 3) for _, _, reading in nodes)
    more = {"faults": faults} if faults else {}
    return value, {"moment": moment, **facts, "gap_seconds": gap, **more}


def _summed(
    times: list[int], joules: list[float | None], faults: dict[str, str], members: Sequence[Sequence[int]]
) -> tuple[Entry, dict[str, str]]:
    """Return the value of a reading whose entries stand for several counters, and its faults. A sum with a missing
    reading is missing."""
    failed = {}
    for entry, numbers in enumerate(members):
        if why := [faults[str(n)] for n in numbers if str(n) in faults]:
            failed[str(entry)] = f"{len(why)} of {len(numbers)}: {why[0]}"
    found = [[joules[n] for n in numbers] for numbers in members]
    value = {
        "time_ms": [max(times[n] for n in numbers) for numbers in members],
        "earliest_ms": [min(times[n] for n in numbers) for numbers in members],
        "joules": [None if None in part else math.fsum(j for j in part if j is not None) for part in found],
    }
    return value, failed
