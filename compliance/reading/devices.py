"""The devices that a run logs, with their hosts, whose names `benchmark/hosts.py` made short, and their peak speed."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmark.hosts import ALONE, numbered
from compliance.reading.log import Log
from compliance.reading.values import count_of, fields, has_form, is_number, is_word
from rules.limits import Compute

CPU = "cpu"
MOST, LONGEST = 1 << 17, 255  # hosts of a run that are read, and characters of a name of many
RANGE = re.compile(r"([^\[\]]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\]]*)")
NUMBER = re.compile(r"sha256-[0-9a-f]{64}-.*")  # what stands for a host whose name is not told


@dataclass(frozen=True)
class Devices:
    """The devices of a run. `kind` is `core` or `accelerator`; `number` counts those that compute. `peak`: their FLOP/s
    as the settings declare them, at most those of any devices of the kind; 0 if unknown."""

    kind: str
    number: int
    precision: str
    peak: float


class Group(NamedTuple):
    """The ranks of one host with one kind of device and one model. `uuids` tell accelerators apart. On a large machine
    they are counted (`distinct`) and not told."""

    host: str
    kind: str
    name: str
    ranks: int
    uuids: tuple[str, ...]
    distinct: int = 0


RANKS = {"kind": is_word, "name": is_word, "ranks": lambda ranks: type(ranks) is int and ranks > 0}
ONE = RANKS | {"host": is_word, "uuids": [str]}
SEVERAL = RANKS | {"hosts": [is_word], "distinct": int}


def groups_of(value: Any) -> list[Group] | None:
    """Return the devices in the value of the key `devices`; None for a malformed value."""
    if type(value) is not list or not value:
        return None
    groups: list[Group] = []
    for item in value:
        found = _groups(item, MOST - len(groups))
        if not found:
            return None
        groups += found
    together = any("hosts" in item for item in value)
    return None if together and len({group.host for group in groups}) <= ALONE else groups


def _groups(item: Any, most: int) -> list[Group] | None:
    """Return the groups of an item, of the ranks of one host or, where there are more than ALONE hosts, of each of
    several, with the distinct uuids of all. Return None for anything else, and for more than `most` hosts."""
    several = type(item) is dict and "hosts" in item
    if not has_form(item, SEVERAL if several else ONE):
        return None
    if not several:
        return [Group(item["host"], item["kind"], item["name"], item["ranks"], tuple(item["uuids"]))]
    try:
        hosts = expanded(item["hosts"], most)
    except ValueError:
        return None
    distinct, ranks = item["distinct"], item["ranks"]
    if len(set(hosts)) < max(len(hosts), 1) or not 0 <= distinct <= ranks * len(hosts):
        return None
    least, more = divmod(distinct, len(hosts))
    return [Group(host, item["kind"], item["name"], ranks, (), least + (at < more)) for at, host in enumerate(hosts)]


def kind_of(log: Log) -> Any:
    """Return the kind of device that a run computes on, by its settings or else by the devices that it names; None if
    it has none. Processors count for nothing beside accelerators."""
    (said,) = fields(log.value("hyperparameters"), "device")
    if said is not None:
        return said
    kinds = {group.kind for group in groups_of(log.value("devices")) or ()}
    return min(kinds - {CPU}, default=CPU) if kinds else None


def described_cores(description: Mapping[str, Any]) -> int | None:
    """Return the most cores that a node can have by its description, which may count them by processor or by node, and
    whole cores or logical ones; None if it has no such number."""
    counts = [count_of(description.get(name)) for name in ("host_processor_core_count", "host_processor_vcpu_count")]
    return max(filter(None, counts), default=0) * (count_of(description.get("host_processors_per_node")) or 1) or None


def devices_of(log: Log, limits: Compute, cores: int | None = None) -> Devices | None:
    """Return the devices that a log names, None if it names none. The number of threads defaults to the most cores that
    a node can have, or has by its description, which also limits it."""
    settings: Any = log.value("hyperparameters")
    ranks, nodes = log.value("number_of_ranks"), log.value("number_of_nodes")
    if type(settings) is not dict or not all(type(n) is int and 0 < n < 1 << 32 for n in (ranks, nodes)):
        return None
    device, precision, threads = kind_of(log), log.value("precision"), settings.get("threads")
    if type(device) is not str or type(precision) is not str:
        return None
    most = min(limits.cores_per_node, cores or limits.cores_per_node) * nodes
    known = type(threads) is int and threads > 0
    number = (min(threads * ranks, most) if known else most) if device == CPU else ranks
    rates = limits.core if device == CPU else limits.accelerator
    fastest = rates.get(precision, max(rates.values(), default=0.0)) * number
    declared = settings.get("peak_tflops")  # of a rank
    peak = min(declared * ranks, fastest) if is_number(declared) and declared > 0 else fastest
    return Devices("core" if device == CPU else "accelerator", number, precision, 1e12 * peak)


def same(one: set[str], other: set[str]) -> bool:
    """Return whether two sets of names are of the same hosts; those of one may be numbered."""
    return one == other or any(set(numbered(names).values()) == told for names, told in ((one, other), (other, one)))


def expanded(texts: Iterable[str], most: int = MOST) -> list[str]:
    """Return the names that `folded` made short. Raises ValueError for other texts, and for more than `most` names."""
    names: list[str] = []
    for text in texts:
        names += names_of(text, most - len(names))
        if len(names) > most:
            raise ValueError(f"found more than {most} hosts")
    return names


def names_of(text: str, most: int) -> Iterator[str]:
    """Yield the names that a text stands for, but none of more than `most`. Raises ValueError."""
    found = RANGE.fullmatch(text)
    if not found:
        if "[" in text or "]" in text:
            raise ValueError(f"found {text[:80]!r}, wanted a name, or names as n[01-04]")
        yield text
        return
    prefix, first, last, suffix = found.groups()
    if (
        len(text) > LONGEST
        or not 0 < int(last) - int(first) < most
        or len(str(int(last)).zfill(len(first))) != len(last)
    ):
        raise ValueError(f"found {text[:80]!r}, wanted at most {most} names, the first before the last")
    for number in range(int(first), int(last) + 1):
        yield f"{prefix}{number:0{len(first)}}{suffix}"
