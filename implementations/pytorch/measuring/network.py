"""How many nodes a job has, and the adapters that connect them: as launcher and kernel say, never guessed."""

import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

NODES = ("SLURM_JOB_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES")  # variables that say how many
LISTS = ("PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "OMPI_MCA_orte_default_hostfile")  # files with a node a line, or a rank
SYS = Path("/sys/class")
ONE = "none: one node"


def nodes(environment: Mapping[str, str] = os.environ) -> int:
    """The nodes of the job; 1 without a launcher that says so."""
    for name in NODES:
        if re.fullmatch(r"[1-9]\d{0,6}", environment.get(name, "")):
            return int(environment[name])
    for name in LISTS:
        try:
            lines = Path(environment[name]).read_text(encoding="utf-8").split("\n")
        except (KeyError, OSError, ValueError):
            continue
        if hosts := {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}:
            return len(hosts)
    return 1


def networking(count: int, sys: Path = SYS) -> tuple[str, str]:
    """(adapters, how nodes are connected) of a system of so many nodes; "" where no program sees it."""
    return (ONE, ONE) if count == 1 else (adapters(sys), "")


def adapters(sys: Path = SYS) -> str:
    """The adapters of this node that are connected, as "8 x 400 Gb/s InfiniBand NDR, 1 x 25 Gb/s Ethernet"."""
    found = Counter([*fabrics(sys), *ethernets(sys)])
    return ", ".join(f"{count} x {words}" for words, count in found.items())


def fabrics(sys: Path) -> list[str]:
    """The active ports of InfiniBand, Omni-Path and the like: their rate, as "400 Gb/sec (4X NDR)", and link layer."""
    ports = []
    for port in sorted(sys.glob("infiniband/*/ports/*")):
        rate = re.match(r"([\d.]+) Gb/sec(?: \(\w+ (\w+)\))?", line_of(port / "rate"))
        if rate and "ACTIVE" in line_of(port / "state"):
            ports.append(f"{rate[1]} Gb/s {line_of(port / 'link_layer')} {rate[2] or ''}".strip())
    return ports


def ethernets(sys: Path) -> list[str]:
    """The Ethernet devices that are hardware and up, but for those whose port `fabrics` has."""
    found = []
    for card in sorted(sys.glob("net/*")):
        speed = line_of(card / "speed")
        hardware = (card / "device").exists() and not (card / "device" / "infiniband").exists()
        if hardware and line_of(card / "operstate") == "up" and speed.isdigit():
            found.append(f"{int(speed) / 1000:g} Gb/s Ethernet")
    return found


def line_of(path: Path) -> str:
    """What a file of one line says; "" of one that can't be read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
