"""Counters that are files: Cray's pm_counters, and RAPL by Linux's powercap.

Cray: Martin et al., "Cray XC Power Monitoring and Management" (CUG 2015); `energy` is the whole node's. RAPL: the
kernel's Documentation/power/powercap. Its packages have the processors without memory and the rest of the node, and
their counters begin again at `max_energy_range_uj`. Readings of two zones of one name, as `intel-rapl-mmio` has them
again, would count a package twice; so only `intel-rapl:<n>` is read, which AMD's processors have, too.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.energy.counter import Counter

CRAY = "cray/pm_counters"
POWERCAP = "class/powercap"
ZONE = re.compile(r"intel-rapl:\d+\Z")
MICRO = 1e-6


def cray(root: Path) -> list[Counter]:
    """The counter of the whole node, below sysfs' `root`. Raises OSError or ValueError where it can't be read."""
    path = root / CRAY / "energy"
    first(path)
    cap = root / CRAY / "power_cap"
    watts = first(cap) if cap.is_file() else 0
    return [Counter("cray", "node", "node", 1.0, lambda: first(path), limit_watts=watts or None)]


def rapl(root: Path) -> list[Counter]:
    """A counter for each processor package, below sysfs' `root`. Raises OSError or ValueError where one can't be read:
    without it the others are not the processors' energy."""
    return [package(zone) for zone in packages(root / POWERCAP)]


def packages(folder: Path) -> Iterator[Path]:
    """The zones of whole packages. Raises OSError where there are none."""
    zones = [zone for zone in sorted(folder.iterdir()) if ZONE.match(zone.name)]
    found = [zone for zone in zones if text(zone / "name").startswith("package")]
    if not found:
        raise FileNotFoundError(f"{folder}: found no zone of a package")
    yield from found


def package(zone: Path) -> Counter:
    """The counter of one package."""
    path = zone / "energy_uj"
    first(path)
    wraps, limits = first(zone / "max_energy_range_uj") * MICRO, [first(p) for p in power_limits(zone)]
    watts = max(limits, default=0) * MICRO
    return Counter("rapl", "package", text(zone / "name"), MICRO, lambda: first(path), wraps, watts or None)


def power_limits(zone: Path) -> list[Path]:
    """The files of a zone's limits of power, over short and long times."""
    return sorted(zone.glob("constraint_*_power_limit_uw"))


def first(path: Path) -> int:
    """The whole number that a file begins with. Raises OSError, or ValueError for anything else."""
    found = text(path)
    match = re.match(r"\d{1,20}(?=\s|\Z)", found)
    if not match:
        raise ValueError(f"{path.name}: found {found[:40]!r}, wanted a count")
    return int(match[0])


def text(path: Path) -> str:
    """A file's text, a short one."""
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read(200).strip()
