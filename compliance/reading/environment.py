"""Environment manifests: what a log says of them, and the files beside it. Nothing in them is followed or executed."""

import functools
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from benchmark.environment.manifest import KEY, KINDS, NODE, OTHER, RUN, SCHEMA
from benchmark.log import Event, open_regular
from benchmark.tree import environment_path

SHA256 = re.compile(r"[0-9a-f]{64}")
MOST_RESUMED = 1000
DEEPEST = 8  # levels of a fact's value
LONGEST_ORIGIN, LONGEST_HOST = 500, 255  # characters
PARSED = 8  # manifests that are kept as they were read, each of which may have some 25 MB of objects


class Named(NamedTuple):
    """What a log says of a manifest: the line, its sha256, its bytes, None where it does not say, its file's name."""

    line: int
    digest: str
    size: int | None
    file: str


class Unsound(ValueError):
    """A manifest that is not what it should be: found and wanted."""


@dataclass(frozen=True)
class Kind:
    """Nodes that are alike: their hosts, and values by fact. Of kinds after the first, those that differ alone."""

    hosts: tuple[str, ...]
    values: dict[str, Any]


@dataclass(frozen=True)
class Environment:
    """A manifest as it was read: the run's values by fact, and its nodes. A value that could not be read is None."""

    run: dict[str, Any]
    nodes: tuple[Kind, ...]

    @property
    def node(self) -> dict[str, Any]:
        """The values of the first kind of nodes."""
        return self.nodes[0].values


def fault_of(event: Event, log: str) -> tuple[str, str] | None:
    """What is wrong with an event of a manifest in the log of this name, found and wanted."""
    data = event.metadata if type(event.metadata) is dict else {}
    size, file, wanted = data.get("bytes"), data.get("path"), environment_path(Path(log)).name
    if not is_digest(event.value):
        return f"{event.value!r:.80}", "a sha256 of 64 hexadecimal digits"
    if type(size) is not int or not 0 < size < 1 << 53:
        return f"bytes {size!r:.80}", "the bytes of the file"
    if file != wanted:
        return f"file {file!r:.80}", wanted
    return None


def is_digest(value: Any) -> bool:
    """Whether a value is a sha256."""
    return type(value) is str and bool(SHA256.fullmatch(value))


def named(event: Event | None, resumed: Sequence[Event], log: str) -> tuple[Named, ...]:
    """The manifests that a log of this name tells of: of its start, and of each time that it went on; none where it
    says nothing, or not as it should."""
    if event is None or fault_of(event, log):
        return ()
    first = Named(event.line, event.value, event.metadata["bytes"], environment_path(Path(log)).name)
    later = [
        Named(e.line, e.value[KEY], None, environment_path(Path(log), number).name)
        for number, e in enumerate(resumed[:MOST_RESUMED], 1)
        if type(e.value) is dict and is_digest(e.value.get(KEY))
    ]
    return (first, *later)


def content(path: Path, largest: int) -> bytes:
    """The bytes of a manifest, one more than `largest` of one that is larger. Raises OSError for anything but a regular
    file that is no link."""
    if path.is_symlink():
        raise OSError("a symbolic link")
    with open_regular(path) as file:
        return file.read(largest + 1)


def read_environment(path: Path, digest: str, largest: int) -> Environment | None:
    """The manifest with this sha256; None where the file is none, another, too large or unsound: rules say so."""
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
    """What a manifest says. Raises Unsound with found and wanted."""
    try:
        found = json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
    except Unsound:
        raise
    except (ValueError, RecursionError) as error:
        raise Unsound(f"no JSON: {str(error)[:80]}", "an object") from None
    if type(found) is not dict or set(found) != {"schema", "run", "nodes"}:
        keys = sorted(found)[:5] if type(found) is dict else type(found).__name__
        raise Unsound(f"{keys!r:.200}", "an object of schema, run and nodes")
    if type(found["schema"]) is not int or found["schema"] != SCHEMA:
        raise Unsound(f"schema {found['schema']!r:.80}", str(SCHEMA))
    nodes = found["nodes"]
    if (
        type(nodes) is not list
        or not 0 < len(nodes) <= KINDS + 1
        or not all(type(n) is dict and set(n) == {"hosts", "facts"} for n in nodes)
    ):
        raise Unsound(f"nodes {nodes!r:.80}", "a list of objects of hosts and facts")
    kinds = [
        Kind(_hosts(n["hosts"]), _values(n["facts"], NODE if at == 0 else NODE | {OTHER: dict}))
        for at, n in enumerate(nodes)
    ]
    for wanted, values in ((RUN, run := _values(found["run"], RUN)), (NODE, kinds[0].values)):
        if missing := [name for name in wanted if name not in values]:
            raise Unsound(f"no {', '.join(missing[:5])}", "every fact of the schema, null where it can't be read")
    return Environment(run, tuple(kinds))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Unsound("a name that is given twice", "each once")
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise Unsound(f"the number {name}", "finite numbers")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text[:40])


def _hosts(hosts: Any) -> tuple[str, ...]:
    if type(hosts) is not list or not hosts or not all(type(h) is str and 0 < len(h) <= LONGEST_HOST for h in hosts):
        raise Unsound(f"hosts {hosts!r:.80}", "a list of names")
    return tuple(hosts)


def _values(facts: Any, known: dict[str, type]) -> dict[str, Any]:
    """The values of facts by name."""
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
            raise Unsound(f"{name} {value!r:.80}", {dict: "an object", list: "a list", str: "text"}[known[name]])
        if not _shallow(value, DEEPEST):
            raise Unsound(f"{name} nested too deeply", f"{DEEPEST} levels")
    return {name: fact["value"] for name, fact in facts.items()}


def _shallow(value: Any, left: int) -> bool:
    if type(value) not in (list, dict):
        return True
    inner = value.values() if type(value) is dict else value
    return left > 0 and all(_shallow(v, left - 1) for v in inner)
