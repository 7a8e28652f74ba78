"""Read the facts of one node, in one of its processes."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmark.environment import accelerators, board, processor, software, system
from benchmark.environment.commands import Asked
from benchmark.environment.facts import Fact, fact
from benchmark.environment.variables import variables

COMMANDS: dict[str, tuple[str, ...]] = {"lscpu": ("lscpu",), "nvidia-smi": accelerators.COMMAND}
READERS: dict[str, tuple[str, Callable[[], Any]]] = {  # of a fact: where it comes from, and what reads it
    "kernel": ("os.uname", system.kernel),
    "operating_system": ("/etc/os-release", system.operating_system),
    "container": ("CONTAINER_DIGEST, /run/.containerenv, /.dockerenv, /.singularity.d, enroot", system.container),
    "share": ("os.sched_getaffinity, /sys/fs/cgroup", system.share),
    "processors": ("/proc/cpuinfo", processor.processors),
    "clocks": ("/sys/devices/system/cpu/cpufreq", processor.clocks),
    "power_limits": ("/sys/class/powercap", processor.power_limits),
    "memory": ("/proc/meminfo, /sys/kernel/mm", board.memory),
    "numa": ("/sys/devices/system/node", board.numa),
    "pci": ("/sys/bus/pci/devices", board.pci),
    "network": ("/sys/class/infiniband, /sys/class/net", board.adapters),
    "driver": ("/proc/driver/nvidia/version, /sys/module", accelerators.driver),
    "variables": ("os.environ, those of a list", variables),
    "python": ("platform", software.python),
    "packages": ("importlib.metadata", software.packages),
    "conda": ("conda-meta in sys.prefix", software.conda),
}
ASKED: dict[str, tuple[str, str, Callable[[str], Any]]] = {  # of a fact: which command, and what reads its answer
    "lscpu": ("lscpu", "lscpu", processor.lscpu_table),
    "accelerators": ("nvidia-smi", "nvidia-smi --query-gpu", accelerators.from_nvidia),
}


def node_facts(data: Path, asked: Asked) -> dict[str, Fact]:
    """Return the facts of this node by name. `data` is the dataset's folder; `asked` runs COMMANDS. Never raises."""
    found = {name: fact(origin, read) for name, (origin, read) in READERS.items()}
    found["data"] = fact("/proc/self/mountinfo", lambda: system.file_system(data))
    for name, (command, origin, read) in ASKED.items():
        found[name] = fact(origin, partial(_answer, asked, command, read))
    if found["accelerators"].value is None:
        other = fact("/sys/class/drm", accelerators.from_amd)
        found["accelerators"] = other if other.value else found["accelerators"]
    return found


def _answer(asked: Asked, command: str, read: Callable[[str], Any]) -> Any:
    return read(asked.answer(command))


def plain(facts: Mapping[str, Fact]) -> dict[str, dict[str, Any]]:
    """Return facts for JSON."""
    return {name: {"value": value, "origin": origin} for name, (value, origin) in facts.items()}
