"""Read processors' models, clocks and power limits."""

import os
import platform
from collections import Counter
from pathlib import Path
from typing import Any

from benchmark.environment.facts import ROOT, entries, key_values, maybe

VARYING = ("CPU MHz", "CPU(s) scaling MHz", "BogoMIPS")  # from one moment, or one start of a machine, to the next


def processors(root: Path = ROOT) -> dict[str, Any]:
    """Return model, sockets, cores a socket, hardware threads and cache, from /proc/cpuinfo where it exists."""
    found = {"model": platform.processor() or platform.machine(), "sockets": 1, "cores": os.cpu_count()}
    found |= {"threads": os.cpu_count(), "cache": None}
    fields = key_values(root / "proc/cpuinfo")
    if fields:
        found["model"] = fields.get("model name", [found["model"]])[-1]
        found["sockets"] = len(set(fields.get("physical id", ["0"])))
        cores = fields.get("cpu cores", [""])[-1]
        found["cores"] = int(cores) if cores.isdecimal() else found["cores"]
        found["threads"] = len(fields.get("processor", [])) or found["threads"]
        found["cache"] = fields.get("cache size", [None])[-1]
    return found


def lscpu_table(said: str) -> dict[str, str]:
    """Return what lscpu says, by field, without the fields that vary over time."""
    pairs = (line.partition(":") for line in said.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs if value.strip() and key.strip() not in VARYING}


def clocks(root: Path = ROOT) -> dict[str, Any]:
    """Return governors and limits of the clock in kHz, each with the number of cores, and whether boost is on."""
    home = root / "sys/devices/system/cpu"
    found: dict[str, Any] = {}
    names = {"governor": "scaling_governor", "driver": "scaling_driver", "least_khz": "scaling_min_freq"}
    names |= {"most_khz": "scaling_max_freq", "hardware_most_khz": "cpuinfo_max_freq", "base_khz": "base_frequency"}
    policies = [folder for folder in entries(home / "cpufreq") if folder.name.startswith("policy")]
    for name, file in names.items():
        values = Counter(value for folder in policies if (value := maybe(folder / file)))
        if values:
            found[name] = dict(sorted(values.items()))
    switches = {"boost": home / "cpufreq/boost", "no_turbo": home / "intel_pstate/no_turbo"}
    switches |= {"pstate": home / "amd_pstate/status", "smt": home / "smt/control"}
    return found | {name: value for name, path in switches.items() if (value := maybe(path))}


def power_limits(root: Path = ROOT) -> dict[str, str]:
    """Return the power limits of processor packages in microwatts, by zone and constraint."""
    found = {}
    for zone in entries(root / "sys/class/powercap"):
        name = maybe(zone / "name")
        for limit in entries(zone):
            if name and limit.name.endswith("_power_limit_uw") and (value := maybe(limit)):
                found[f"{zone.name} {name} {limit.name.removesuffix('_power_limit_uw')}"] = value
    return found
