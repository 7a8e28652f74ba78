"""The clock of a process: the system's time, read once, and what a clock that nobody can set has counted since.

All times of a run come from it: a system clock that is set during a run, by hand or by a time service, changes no time
between two events. A clock that runs on while the system sleeps counts, where there is one.
"""

import time

_BOOT = getattr(time, "CLOCK_BOOTTIME", None)  # Linux's; others count no sleep


def _counted() -> int:
    """Nanoseconds since some moment."""
    return time.monotonic_ns() if _BOOT is None else time.clock_gettime_ns(_BOOT)


_SYSTEM, _START = time.time_ns(), _counted()


def now_ns() -> int:
    """Nanoseconds since 1970 by the system's clock as it was at first."""
    return _SYSTEM + _counted() - _START


def now_ms() -> int:
    """Whole milliseconds since 1970, as logs have them."""
    return now_ns() // 1_000_000


def set_by() -> float:
    """Seconds by which the system's clock was set since: ahead, or back (negative)."""
    return (time.time_ns() - now_ns()) / 1e9
