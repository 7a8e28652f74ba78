"""Read the kernel's counters of reading: those of a thread, and those of the disk below a folder."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from harness.system import storage as type_of

SECTOR = 512  # bytes, of /sys/dev/block/*/stat
IN_MEMORY = ("tmpfs", "ramfs")
CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
COLD, WARM = 0.9, 0.5  # shares of what was read that came from the device
T = TypeVar("T")


@dataclass(frozen=True)
class Reads:
    """What threads read: bytes that calls returned, the calls, and bytes that the kernel fetched from a device."""

    bytes: int = 0
    calls: int = 0
    physical: int = 0

    def __add__(self, other: "Reads") -> "Reads":
        return Reads(self.bytes + other.bytes, self.calls + other.calls, self.physical + other.physical)

    def __sub__(self, other: "Reads") -> "Reads":
        return Reads(self.bytes - other.bytes, self.calls - other.calls, self.physical - other.physical)


def counted(act: Callable[[], T]) -> tuple[T, Reads]:
    """Return the result of `act`, and what this thread read meanwhile; zeros where the kernel does not say."""
    before, said = thread_reads()
    found = act()
    after, _ = thread_reads()
    return found, after - before - Reads(said, 1 if said else 0)  # without the first look itself


def thread_reads() -> tuple[Reads, int]:
    """Return what this thread has read since it began, and the bytes of reading these counters."""
    try:
        descriptor = os.open("/proc/thread-self/io", os.O_RDONLY)
        try:
            text = os.read(descriptor, 1024)
        finally:
            os.close(descriptor)
        fields = dict(line.split(b": ") for line in text.splitlines())
        return Reads(int(fields[b"rchar"]), int(fields[b"syscr"]), int(fields[b"read_bytes"])), len(text)
    except (OSError, LookupError, ValueError):
        return Reads(), 0


@dataclass(frozen=True)
class Storage:
    """The storage of a folder: the type of the file system, and the number of its block device ("254:0"). The number is
    None where this machine counts no device: for network and overlay file systems, and for memory."""

    file_system: str
    device: str | None

    def disk_bytes(self) -> int | None:
        """Return the bytes that the device has read for all processes since the machine started, or None."""
        if self.device is None:
            return None
        try:
            return int(Path(f"/sys/dev/block/{self.device}/stat").read_text(encoding="ascii").split()[2]) * SECTOR
        except (OSError, LookupError, ValueError):
            return None


def storage_of(folder: Path) -> Storage:
    """Return the storage of a folder."""
    number = os.stat(folder).st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    counted = Path(f"/sys/dev/block/{device}/stat").exists() and Path("/proc/self/io").exists()
    return Storage(type_of(folder), device if counted else None)


def cache_state(storage: Storage, read: int, physical: int | None, delivered: int) -> str:
    """Return in words where samples came from: `delivered` bytes of arrays took `read` bytes of files, of which
    `physical` bytes came from a device."""
    if delivered and not read:
        return "in the reader's own cache: no file was read"
    if storage.file_system in IN_MEMORY:
        return f"served from memory: the files are in {storage.file_system}"
    if storage.device is None or physical is None:
        return f"cannot be told: {storage.file_system or 'this file system'} has no device that the kernel counts"
    share = physical / read if read else 0.0
    if share >= COLD:
        return "cold: read from the device"
    return "warm: partly from memory" if share >= WARM else "served from memory"


def memory_bytes() -> int:
    """Return the main memory that this process may use: the machine's, or its control group's limit."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in CGROUPS:
        try:
            total = min(total, int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return total
