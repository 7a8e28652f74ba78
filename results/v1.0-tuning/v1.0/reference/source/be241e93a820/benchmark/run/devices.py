"""The devices of a run's ranks, as the log has them."""

import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmark.environment.processor import processors
from benchmark.hosts import ALONE, short


class Device(NamedTuple):
    """A rank's device: the host, `cpu` or the kind of accelerator (`cuda`), the model's name, and the uuid, which is
    empty for a processor."""

    host: str
    kind: str
    name: str
    uuid: str


def processor() -> Device:
    """Return the device of a rank that computes on the processor."""
    return Device(platform.node(), "cpu", processors()["model"], "")


def accelerator(kind: str, name: str, uuid: str) -> Device:
    """Return the device of a rank that computes on an accelerator."""
    return Device(platform.node(), kind, name, uuid)


def grouped(devices: Sequence[Device]) -> list[dict[str, Any]]:
    """Return the devices of all ranks in order, with those of one host and model together. Of more than ALONE hosts,
    those with equally many ranks of one model are told together, and their accelerators are counted."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for device in devices:
        groups.setdefault(device[:3], []).append(device.uuid)
    if len({host for host, *_ in groups}) > ALONE:
        return equal_hosts(groups)
    return [
        {"host": host, "kind": kind, "name": name, "ranks": len(uuids), "uuids": [u for u in uuids if u]}
        for (host, kind, name), uuids in groups.items()
    ]


def equal_hosts(groups: dict[tuple[str, str, str], list[str]]) -> list[dict[str, Any]]:
    """Return groups, uuids by (host, kind, name), with equal hosts together: their names in short, the ranks of each,
    and the number of distinct uuids of all."""
    equal: dict[tuple[str, str, int], tuple[list[str], set[str]]] = {}
    for (host, kind, name), uuids in groups.items():
        hosts, distinct = equal.setdefault((kind, name, len(uuids)), ([], set()))
        hosts.append(host)
        distinct.update(uuid for uuid in uuids if uuid)
    named = short([hosts for hosts, _ in equal.values()])
    return [
        {"hosts": hosts, "kind": kind, "name": name, "ranks": ranks, "distinct": len(distinct)}
        for hosts, ((kind, name, ranks), (_, distinct)) in zip(named, equal.items(), strict=True)
    ]
