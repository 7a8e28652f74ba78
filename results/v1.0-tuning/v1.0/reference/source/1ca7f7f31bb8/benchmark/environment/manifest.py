"""The manifest of a run's environment: environment_<i>.json beside result_<i>.txt.

A JSON object: `schema`; `run`, facts of the run as a whole; `nodes`, its nodes, equal ones together, each kind with the
names of its `hosts` and its `facts`, of which those after the first have what is not as in the first alone. A fact is
an object of `value` and `origin`: the file, command or function that it comes from, where a value is null with the
reason. The log names the file by its sha256, its bytes and its path, before the clock starts, so that it can't be
exchanged. A run that was interrupted and goes on writes another, environment_<i>_<n>.json, and its n-th event
`resumed` has the sha256 of that.
"""

import errno
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.atomic import replacing

SCHEMA = 1
KEY = "environment"  # of the event
RUN: dict[str, type] = {"command": list, "config": str, "launcher": dict, "repository": dict}  # facts of a run
NODE: dict[str, type] = {  # ... of a node
    "kernel": dict, "operating_system": str, "container": dict, "share": dict, "processors": dict, "clocks": dict,
    "power_limits": dict, "lscpu": dict, "memory": dict, "numa": dict, "pci": list, "network": list, "driver": str,
    "accelerators": list, "data": dict, "variables": dict, "python": dict, "packages": dict, "conda": list,
    "torch": dict, "backends": dict,
}  # fmt: skip
OTHER = "node"  # stands for the facts of a kind of node that is not told
KINDS = 16  # of nodes that are told in full; of more, hosts and how they are told apart
LARGEST = 1 << 20  # bytes of a manifest

Facts = dict[str, dict[str, Any]]


class Written(NamedTuple):
    """What the log says of a manifest."""

    digest: str
    size: int
    path: str


class Node(NamedTuple):
    """The host of a node, and its facts as JSON has them; None of one that is as another of the same `digest`."""

    host: str
    digest: str
    facts: Facts | None


def digest_of(facts: Facts) -> str:
    """By which equal facts are known."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def grouped(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """The nodes of a manifest, in their order, equal ones together; facts of equal ones are taken from the first that
    has them. Those whose facts nobody has told are one kind."""
    told = {node.digest: node.facts for node in reversed(nodes) if node.facts is not None}
    told |= {OTHER: {OTHER: {"value": None, "origin": f"more than {KINDS} kinds of nodes: not told"}}}
    hosts: dict[str, list[str]] = {}
    for node in nodes:
        hosts.setdefault(node.digest if node.digest in told else OTHER, []).append(node.host)
    usual = told[next(iter(hosts))]
    return [
        {"hosts": names, "facts": {n: f for n, f in told[digest].items() if not at or usual.get(n) != f}}
        for at, (digest, names) in enumerate(hosts.items())
    ]


def write(path: Path, run: Facts, nodes: Sequence[Node]) -> Written:
    """Write a manifest, whole or not at all; what the log is to say of it. Raises OSError, also for one that is too
    large."""
    content = {"schema": SCHEMA, "run": run, "nodes": grouped(nodes)}
    data = (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"found an environment of {len(data)} bytes, wanted at most {LARGEST}", str(path))
    with replacing(path) as partial:
        partial.write_bytes(data)
    return Written(hashlib.sha256(data).hexdigest(), len(data), path.name)
