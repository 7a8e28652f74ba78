"""Read counters that are files: Cray's pm_counters, and RAPL by Linux's powercap.

Cray's counter `energy` covers the whole node (Martin et al., "Cray XC Power Monitoring and Management", CUG 2015).
RAPL's packages (the kernel's Documentation/power/powercap) cover the processors, without memory and the rest of the
node. Their counters start again at `max_energy_range_uj`. `intel-rapl-mmio` has zones of the same names, which would
count a package twice. So only `intel-rapl:<n>` is read, which AMD's processors have as well.
"""

import re
from pathlib import Path

from benchmark.energy.counter import Counter

CRAY = "cray/pm_counters"
POWERCAP = "class/powercap"
ZONE = re.compile(r"intel-rapl:\d+\Z")
MICRO = 1e-6


def cray(root: Path) -> list[Counter]:
    """Return the counter of the whole node, below sysfs' `root`. Raises OSError or ValueError if it cannot be read."""
    path = root / CRAY / "energy"
    first(path)
    cap = root / CRAY / "power_cap"
    watts = first(cap) if cap.is_file() else 0
    return [Counter("cray", "node", "node", 1.0, lambda: first(path), limit_watts=watts or None)]


def rapl(root: Path) -> list[Counter]:
    """Return a counter for each processor package, below sysfs' `root`. Raises OSError or ValueError if any of them
    cannot be read, since the others are not the energy of all processors."""
    zones = [zone for zone in sorted((root / POWERCAP).iterdir()) if ZONE.match(zone.name)]
    found = [zone for zone in zones if text(zone / "name").startswith("package")]
    if not found:
        raise FileNotFoundError(f"{root / POWERCAP}: found no zone of a package")
    return [package(zone) for zone in found]


def package(zone: Path) -> Counter:
    """Return the counter of one package."""
    path = zone / "energy_uj"
    first(path)
    wraps = first(zone / "max_energy_range_uj") * MICRO
    if not wraps:
        raise ValueError("max_energy_range_uj: found 0, wanted the count at which energy_uj starts again")
    limits = map(first, zone.glob("constraint_*_power_limit_uw"))  # for short and long times
    watts = max(limits, default=0) * MICRO
    return Counter("rapl", "package", text(zone / "name"), MICRO, lambda: first(path), wraps, watts or None)


def first(path: Path) -> int:
    """Return the whole number that a file begins with. Raises OSError, or ValueError for another content."""
    found = text(path)
    match = re.match(r"\d{1,20}(?=\s|\Z)", found)
    if not match:
        raise ValueError(f"{path.name}: found {found[:40]!r}, wanted a count")
    return int(match[0])


def text(path: Path) -> str:
    """Return the first 200 characters of a file."""
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read(200).strip()
