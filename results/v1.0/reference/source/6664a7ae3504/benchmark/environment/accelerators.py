"""Read what the driver says of accelerators: model, memory, limits of clocks and power, modes."""

import csv
from pathlib import Path
from typing import Any

from benchmark.environment.facts import ROOT, counted, entries, maybe

FIELDS = (
    "name", "memory.total", "driver_version", "vbios_version", "power.limit", "power.default_limit", "clocks.max.sm",
    "clocks.max.memory", "clocks.applications.graphics", "clocks.applications.memory", "ecc.mode.current",
    "mig.mode.current", "compute_mode", "persistence_mode", "pcie.link.gen.max", "pcie.link.width.max",
)  # fmt: skip
COMMAND = ("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader")
DRIVERS = (
    "proc/driver/nvidia/version",
    "sys/module/nvidia/version",
    "sys/module/amdgpu/version",
    "sys/module/xe/version",
)


def from_nvidia(said: str) -> list[dict[str, Any]]:
    """Return what nvidia-smi says of each GPU, with equal ones together."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(said.splitlines()) if row]
    return counted([dict(zip(FIELDS, row, strict=True)) for row in rows])


def from_amd(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return what the kernel's driver for AMD says of each GPU, with equal ones together: power limits in microwatts,
    levels of clocks, bytes of memory."""
    found = []
    for card in entries(root / "sys/class/drm"):
        device = card / "device"
        if not card.name.removeprefix("card").isdecimal() or maybe(device / "vendor") != "0x1002":
            continue
        files = {"memory_bytes": "mem_info_vram_total", "performance": "power_dpm_force_performance_level"}
        found.append({"id": maybe(device / "device")} | {n: v for n, f in files.items() if (v := maybe(device / f))})
        for monitor in entries(device / "hwmon"):
            if cap := maybe(monitor / "power1_cap"):
                found[-1]["power_limit_uw"] = cap
    return counted(found)


def driver(root: Path = ROOT) -> str | None:
    """Return the first line of the version that the driver in the kernel states, or None."""
    said = next((value for path in DRIVERS if (value := maybe(root / path))), None)
    return said and " ".join(said.splitlines()[0].split())
