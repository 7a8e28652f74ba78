"""Environment manifests: what a log says of them, and the files beside it. Nothing in a manifest is executed."""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.environment.manifest import KEY, KINDS, NODE, OTHER, RUN, SCHEMA
from benchmark.log import Event, open_regular
from benchmark.run.files import environment_path
from compliance.reading.devices import MOST, expanded
from compliance.reading.digest import Named, is_sha256, named_by
from compliance.reading.values import Unsound, has_form, is_number, is_shallow, is_size, read_object, total

MOST_RESUMED = 1000
WORDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}
DEEPEST = 8  # levels of a fact's value
LONGEST_ORIGIN, LONGEST_HOST = 500, 255  # characters
FIRST = {**{name: kind for name, kind in RUN.items() if name != "loaded"}, "repository": dict}
SCHEMAS = {SCHEMA: (RUN, NODE), 1: (FIRST, NODE)}  # number of a schema -> the facts of a run, and of a node
PARSED = 8  # parsed manifests that are cached; one may take 25 MB


@dataclass(frozen=True)
class Kind:
    """Nodes with equal facts: their hosts, and the values by fact. Kinds after the first list only what differs."""

    hosts: tuple[str, ...]
    values: dict[str, Any]


@dataclass(frozen=True)
class Environment:
    """A parsed manifest: the run's values by fact, and its kinds of nodes. None is a value that could not be read.
    `numa_gib` is the memory of all NUMA nodes of the first kind."""

    run: dict[str, Any]
    nodes: tuple[Kind, ...]
    numa_gib: float = 0.0

    @property
    def node(self) -> dict[str, Any]:
        """The values of the first kind of nodes."""
        return self.nodes[0].values

    @property
    def loaded(self) -> dict[str, Any]:
        """What the run had loaded, in the form LOADED; {} if the manifest does not tell."""
        return self.run.get("loaded") or {}


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1 << 53


FILES = {"files": is_size, "names": [str]}
KERNELS = {"files": is_size, "before": is_size, "sha256": str}
# What a run had loaded from outside the repository when its clock started: the sha256 of each distribution's RECORD by
# name and version; how many files differ from it or belong to none, and the names of the first; editable distributions;
# the sha256 of what ran before the script; import finders; of compiled kernels how many files there were, how many
# before the run, and the sha256 of all; and what the process had spent, by name (seconds, bytes).
LOADED = {
    "records": {str: str},
    "edited": FILES,
    "unowned": FILES,
    "editable": [str],
    "startup": {str: str},
    "finders": [str],
    "kernels": lambda value: not value or has_form(value, KERNELS),
    "spent": {"cpu_seconds": _is_amount, str: _is_amount},
}


def named(event: Event | None, resumed: Sequence[Event], log: str) -> tuple[Named, ...]:
    """Return the manifests that the log of this name gives: of its start, and of each resumption. Return () if it gives
    none or is malformed."""
    if event is None:
        return ()
    first = named_by(event, environment_path(Path(log)).name)
    later = (
        Named(e.line, e.value[KEY], 0, environment_path(Path(log), number).name)
        for number, e in enumerate(resumed[:MOST_RESUMED], 1)
        if has_form(e.value, {KEY: is_sha256})
    )
    return (first, *later) if first else ()


def content(path: Path, largest: int) -> bytes:
    """Return the bytes of a manifest, at most `largest` + 1. Raises OSError for anything but a regular file."""
    if path.is_symlink():
        raise OSError("a symbolic link")
    with open_regular(path) as file:
        return file.read(largest + 1)


def read_environment(path: Path, digest: str, largest: int) -> Environment | None:
    """Return the manifest with this sha256; None if there is no such file, or it is too large or unsound (ENV03, ENV04
    report it)."""
    try:
        return _parsed(path, digest, largest)
    except (OSError, Unsound):
        return None


@functools.lru_cache(PARSED)
def _parsed(path: Path, digest: str, largest: int) -> Environment:
    data = content(path, largest)
    if len(data) > largest or hashlib.sha256(data).hexdigest() != digest:
        raise Unsound("another file", digest)
    return parse(data)


def parse(data: bytes) -> Environment:
    """Parse a manifest. Raises Unsound with found and wanted."""
    found = read_object(data)
    if set(found) != {"schema", "run", "nodes"}:
        raise Unsound(f"{sorted(found)[:5]!r:.200}", "an object of schema, run and nodes")
    if type(found["schema"]) is not int or found["schema"] not in SCHEMAS:
        raise Unsound(f"schema {found['schema']!r:.80}", " or ".join(map(str, sorted(SCHEMAS))))
    of_run, of_node = SCHEMAS[found["schema"]]
    nodes = found["nodes"]
    formed = type(nodes) is list and all(type(n) is dict and set(n) == {"hosts", "facts"} for n in nodes)
    if not formed or not 0 < len(nodes) <= KINDS + 1:
        raise Unsound(f"nodes {nodes!r:.80}", "a list of objects of hosts and facts")
    kinds: list[Kind] = []
    for node in nodes:
        hosts = _hosts(node["hosts"], MOST - sum(len(kind.hosts) for kind in kinds))
        kinds.append(Kind(hosts, _values(node["facts"], of_node | {OTHER: dict} if kinds else of_node)))
    for wanted, values in ((of_run, run := _values(found["run"], of_run)), (of_node, kinds[0].values)):
        if missing := [name for name in wanted if name not in values]:
            raise Unsound(f"no {', '.join(missing[:5])}", "every fact of the schema, null where it can't be read")
    kinds[0] = replace(kinds[0], values=dict.fromkeys(NODE) | kinds[0].values)  # null: what its schema doesn't have
    if run.get("loaded") is not None and not has_form(run["loaded"], LOADED):
        raise Unsound(f"loaded {run['loaded']!r:.80}", "what docs/implementing.md says of it")
    return Environment(run, tuple(kinds), _numa_gib(nodes[0]["facts"]["numa"]["value"]))


def _numa_gib(numa: dict[str, Any] | None) -> float:
    """Return the memory of all NUMA nodes in GiB."""
    nodes = (numa or {}).get("nodes")
    told = [of.get("gib") for of in nodes.values() if type(of) is dict] if type(nodes) is dict else []
    return total(gib for gib in told if is_number(gib))


def _hosts(hosts: Any, most: int) -> tuple[str, ...]:
    if type(hosts) is not list or not hosts or not all(type(h) is str and 0 < len(h) <= LONGEST_HOST for h in hosts):
        raise Unsound(f"hosts {hosts!r:.80}", "a list of names")
    try:
        return tuple(expanded(hosts, most))
    except ValueError as error:
        raise Unsound(f"hosts {hosts!r:.80}", str(error)) from None


def _values(facts: Any, known: dict[str, type]) -> dict[str, Any]:
    """Return the values of facts by name. Raises Unsound."""
    if type(facts) is not dict:
        raise Unsound(f"facts {facts!r:.80}", "an object")
    for name, fact in facts.items():
        if name not in known:
            raise Unsound(f"the fact {name!r:.80}", f"those of schema {SCHEMA}")
        if type(fact) is not dict or set(fact) != {"value", "origin"}:
            raise Unsound(f"{name} {fact!r:.80}", "an object of value and origin")
        origin, value = fact["origin"], fact["value"]
        if type(origin) is not str or not 0 < len(origin) <= LONGEST_ORIGIN:
            raise Unsound(f"{name} of origin {origin!r:.80}", f"1 to {LONGEST_ORIGIN} characters")
        if value is not None and type(value) is not known[name]:
            raise Unsound(f"{name} {value!r:.80}", WORDS[known[name]])
        if not is_shallow(value, DEEPEST):
            raise Unsound(f"{name} nested too deeply", f"{DEEPEST} levels")
    return {name: _lasting(name, fact["value"]) for name, fact in facts.items()}


def _lasting(name: str, value: Any) -> Any:
    """Return a fact without what changes while a machine runs: the memory of each NUMA node, since the host of a
    virtual machine takes some and gives it back. The fact `memory` has their sum as the machine was booted."""
    nodes = value.get("nodes") if name == "numa" and type(value) is dict else None
    if type(nodes) is not dict:
        return value
    left = {n: {k: v for k, v in of.items() if k != "gib"} if type(of) is dict else of for n, of in nodes.items()}
    return {**value, "nodes": left}
