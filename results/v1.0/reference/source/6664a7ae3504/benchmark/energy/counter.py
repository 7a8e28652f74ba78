"""A counter of energy."""

from collections.abc import Callable
from dataclasses import dataclass

COUNTS = {"cray": "node", "rapl": "package", "nvml": "device", "amdsmi": "device"}  # what each source counts


@dataclass(frozen=True)
class Counter:
    """A counter of energy. `read` returns a number that only grows, in units of `joules`, and raises where it cannot be
    read. A counter with `wraps_at`, in joules, starts again at 0 there. `limit_watts` is the power limit of the counted
    device, as the machine states it, or None."""

    source: str  # cray, rapl, nvml, amdsmi
    scope: str  # what it counts, one of rules/energy.py's SCOPES
    device: str  # its name in its scope and node
    joules: float
    read: Callable[[], float]
    wraps_at: float | None = None
    limit_watts: float | None = None


def reason(error: BaseException) -> str:
    """Return in one short line why something cannot be read."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return (str(error).partition("\n")[0] or repr(error))[:200]
