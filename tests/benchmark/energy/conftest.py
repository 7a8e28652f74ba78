"""A tree like sysfs, with counters that tests move."""

from dataclasses import dataclass
from pathlib import Path

import pytest

MICRO = 1_000_000


@dataclass
class Sysfs:
    """A folder in place of /sys."""

    root: Path

    def put(self, name: str, text: object) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
        return path

    def package(self, index: int, joules: float = 0.0, wraps_at: float = 262143.328850, watts: int = 500) -> Path:
        """A processor's zone, with a zone of its cores; the file of its counter."""
        zone = f"class/powercap/intel-rapl:{index}"
        self.put(f"{zone}/name", f"package-{index}")
        self.put(f"{zone}/max_energy_range_uj", round(wraps_at * MICRO))
        self.put(f"{zone}/constraint_0_power_limit_uw", watts * MICRO)
        self.put(f"class/powercap/intel-rapl:{index}:0/name", "core")
        self.put(f"class/powercap/intel-rapl:{index}:0/energy_uj", 1)
        return self.put(f"{zone}/energy_uj", round(joules * MICRO))

    def cray(self, joules: int = 1000, watts: int = 0) -> Path:
        """The counter of a node, as Cray has it."""
        self.put("cray/pm_counters/power_cap", f"{watts} W")
        return self.put("cray/pm_counters/energy", f"{joules} J 1732287600123456 us")


@pytest.fixture
def sysfs(tmp_path):
    return Sysfs(tmp_path / "sys")
