"""Write the manifest of a run's environment: environment_<i>.json beside result_<i>.txt.

It is a JSON object with three fields: `schema`; `run`, the facts of the run as a whole; and `nodes`, the nodes with
equal ones together. Each kind of node has the names of its `hosts` and its `facts`; kinds after the first have only the
facts that differ from the first. Of more than ALONE nodes, the names are written in short (benchmark/hosts.py). A fact
is an object of `value` and `origin`: the file, command or function that it comes from, with the reason where the value
is null. The log has the file's sha256, size and path before the clock starts, so that the file cannot be exchanged. A
run that is resumed writes another manifest, environment_<i>_<n>.json, and its n-th event `resumed` has the sha256 of
that.
"""

import errno
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.atomic import replacing
from benchmark.hosts import ALONE, short

SCHEMA = 2  # 1 had the state of the repository in place of what was loaded
KEY = "environment"  # of the event
RUN: dict[str, type] = {"command": list, "config": str, "launcher": dict, "loaded": dict}  # facts of a run
NODE: dict[str, type] = {  # ... of a node
    "kernel": dict, "operating_system": str, "container": dict, "share": dict, "processors": dict, "clocks": dict,
    "power_limits": dict, "lscpu": dict, "memory": dict, "numa": dict, "pci": list, "network": list, "driver": str,
    "accelerators": list, "data": dict, "variables": dict, "python": dict, "packages": dict, "conda": list,
    "torch": dict, "backends": dict,
}  # fmt: skip
OTHER = "node"  # stands for the facts of a kind of node that are left out
KINDS = 16  # of nodes whose facts are written; of further kinds only the hosts
LARGEST = 1 << 20  # bytes of a manifest

Facts = dict[str, dict[str, Any]]


class Written(NamedTuple):
    """The facts that the log has of a manifest."""

    digest: str
    size: int
    path: str


class Node(NamedTuple):
    """A node: its host, the digest of its facts, and the facts for JSON, which are None if another node of the same
    `digest` has them."""

    host: str
    digest: str
    facts: Facts | None


def digest_of(facts: Facts) -> str:
    """Return a digest that equal facts share."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def grouped(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return the nodes of a manifest in order, with equal ones together. The facts of equal nodes come from the first
    one that has them. Nodes without known facts are one kind."""
    told = {node.digest: node.facts for node in reversed(nodes) if node.facts is not None}
    told |= {OTHER: {OTHER: {"value": None, "origin": f"more than {KINDS} kinds of nodes: not told"}}}
    hosts: dict[str, list[str]] = {}
    for node in nodes:
        hosts.setdefault(node.digest if node.digest in told else OTHER, []).append(node.host)
    usual = told[next(iter(hosts))]
    named = short(list(hosts.values())) if len(nodes) > ALONE else list(hosts.values())
    return [
        {"hosts": names, "facts": {n: f for n, f in told[digest].items() if not at or usual.get(n) != f}}
        for at, (digest, names) in enumerate(zip(hosts, named, strict=True))
    ]


def write(path: Path, run: Facts, nodes: Sequence[Node]) -> Written:
    """Write a manifest, completely or not at all. Return its facts for the log. Raises OSError."""
    content = {"schema": SCHEMA, "run": run, "nodes": grouped(nodes)}
    data = (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"found an environment of {len(data)} bytes, wanted at most {LARGEST}", str(path))
    with replacing(path) as partial:
        partial.write_bytes(data)
    return Written(hashlib.sha256(data).hexdigest(), len(data), path.name)
