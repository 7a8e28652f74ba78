"""The clock of a process. It reads the system's time once, and then adds what a clock that nobody can set has counted.

All times of a run come from it. So setting the system clock during a run, by hand or by a time service, changes no time
between two events. Where the system has a clock that counts during sleep as well (Linux), that one is used.
"""

import time

_BOOT = getattr(time, "CLOCK_BOOTTIME", None)  # Linux's; others count no sleep


def _counted() -> int:
    """Return nanoseconds since an arbitrary moment."""
    return time.monotonic_ns() if _BOOT is None else time.clock_gettime_ns(_BOOT)


_SYSTEM, _START = time.time_ns(), _counted()


def now_ns() -> int:
    """Return nanoseconds since 1970, by the system's clock as it was when this module was loaded."""
    return _SYSTEM + _counted() - _START


def now_ms() -> int:
    """Return whole milliseconds since 1970, the unit of logs."""
    return now_ns() // 1_000_000


def set_by() -> float:
    """Return by how many seconds the system's clock has been set forward since then; negative if it was set back."""
    return (time.time_ns() - now_ns()) / 1e9
