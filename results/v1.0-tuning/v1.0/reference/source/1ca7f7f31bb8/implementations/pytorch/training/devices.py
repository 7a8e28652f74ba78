"""What each rank computes on, for the log."""

import platform
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from benchmark.environment.processor import processors


class Device(NamedTuple):
    """A rank's device: its host's name, `cpu` or `cuda`, the model's name, and what tells it from others of the
    model, empty for a processor."""

    host: str
    kind: str
    name: str
    uuid: str


def device_of(device: torch.device) -> Device:
    """The device of this process."""
    if device.type == "cuda":
        facts = torch.cuda.get_device_properties(device)
        return Device(platform.node(), "cuda", facts.name, str(facts.uuid))
    return Device(platform.node(), device.type, processors()["model"], "")


def grouped(devices: Sequence[Device]) -> list[dict[str, Any]]:
    """The devices of all ranks, in their order, those of one host and model together."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for device in devices:
        groups.setdefault(device[:3], []).append(device.uuid)
    return [
        {"host": host, "kind": kind, "name": name, "ranks": len(uuids), "uuids": [u for u in uuids if u]}
        for (host, kind, name), uuids in groups.items()
    ]
