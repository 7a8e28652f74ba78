"""Read what is on a node's board and bus beside its processors: memory, NUMA, PCI, network adapters."""

from pathlib import Path
from typing import Any

from benchmark.environment.facts import ROOT, counted, entries, key_values, maybe

MOST = 4096  # devices of a kind that are read


def memory(root: Path = ROOT) -> dict[str, Any]:
    """Return GiB of main memory and of swap, and how huge pages are used. GiB are rounded, since the firmware of equal
    nodes may reserve different amounts."""
    fields = key_values(root / "proc/meminfo")
    found: dict[str, Any] = {name: _gib(fields, key) for name, key in (("gib", "MemTotal"), ("swap_gib", "SwapTotal"))}
    huge = maybe(root / "sys/kernel/mm/transparent_hugepage/enabled") or ""
    found["transparent_huge_pages"] = huge[huge.find("[") + 1 : huge.find("]")] if "[" in huge else None
    found["huge_pages"] = fields.get("HugePages_Total", [None])[0]
    return {name: value for name, value in found.items() if value is not None}


def _gib(fields: dict[str, list[str]], key: str) -> int | None:
    words = fields.get(key, [""])[0].split()
    return round(int(words[0]) / 2**20) if words and words[0].isdecimal() else None


def numa(root: Path = ROOT) -> dict[str, Any]:
    """Return the NUMA nodes with processors, GiB of memory and distances, and whether the kernel balances pages."""
    nodes = {}
    for folder in entries(root / "sys/devices/system/node")[:MOST]:
        if folder.name.startswith("node") and folder.name[4:].isdecimal():
            table = key_values(folder / "meminfo")
            total = next((_gib({"": v}, "") for k, v in table.items() if k.endswith("MemTotal")), None)
            found = {"cpus": maybe(folder / "cpulist"), "gib": total}
            nodes[folder.name] = found | {"distances": maybe(folder / "distance")}
    balancing = maybe(root / "proc/sys/kernel/numa_balancing")
    return nodes and {"nodes": nodes} | ({"balancing": balancing} if balancing else {})


def pci(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return the PCI devices, equal ones together: vendor:device, class, fastest link supported, lanes in use."""
    names = {"class": "class", "link": "max_link_speed", "lanes": "current_link_width"}
    found = []
    for device in entries(root / "sys/bus/pci/devices")[:MOST]:
        ids = [(maybe(device / name) or "?").removeprefix("0x") for name in ("vendor", "device")]
        more = {name: value for name, file in names.items() if (value := maybe(device / file))}
        found.append({"id": ":".join(ids), **more})
    return counted(found)


def adapters(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return the physical network adapters, with equal ones together: kind, rate as the system states it, driver or
    board. An InfiniBand device that also has an Ethernet interface is listed once."""
    found, held = [], set()
    for device in entries(root / "sys/class/infiniband")[:MOST]:
        held.add(_hardware(device))
        for port in entries(device / "ports"):
            kind, rate = maybe(port / "link_layer") or "InfiniBand", maybe(port / "rate")
            found.append(
                {"kind": kind, "rate": rate, "board": maybe(device / "board_id") or maybe(device / "hca_type")}
            )
    for device in entries(root / "sys/class/net")[:MOST]:
        hardware = _hardware(device)
        if hardware and hardware not in held:
            speed = maybe(device / "speed")
            rate = f"{int(speed) / 1000:g} Gb/sec" if speed and speed.isdecimal() and int(speed) else None
            driver = device / "device/driver"
            board = driver.resolve().name if driver.exists() else None
            found.append({"kind": "Ethernet", "rate": rate, "board": board})
    return counted(found)


def _hardware(device: Path) -> str | None:
    """Return the device of a network interface; None for one that is software."""
    link = device / "device"
    return str(link.resolve()) if link.exists() else None
