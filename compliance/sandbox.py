"""The judge shut in: once its own modules are loaded, the kernel lets it read, and nothing else.

Nothing in a submission is executed in any case. Should a file ever take the judge over, through a fault in Python or in
a library, it can then not write, start a program or open a TCP connection. Landlock does this on Linux 5.13 and later,
without any privilege (https://docs.kernel.org/userspace-api/landlock.html). It cannot be undone, and holds for all that
the process starts. Other protocols than TCP are not stopped.
"""

import os
from pathlib import Path

SHARED = Path("/dev/shm")  # where processes that judge together have their locks
ABSENT = "none"  # how the words begin where there is no sandbox
NETWORK = 4  # from this version of Landlock on it can forbid TCP, too


def shut_in(several: bool) -> str:
    """Forbid this process to write, execute and open TCP connections, and say in words what holds; where it cannot be
    done, the words begin with ABSENT. `several`: processes will judge together."""
    try:
        from py_landlock import AccessFs, Landlock, LandlockError
    except ImportError:
        return f"{ABSENT}: py-landlock is not installed"
    try:
        jail = Landlock(strict=False).allow_read("/")
        jail.add_path_rule(os.devnull, access=AccessFs.READ_FILE | AccessFs.WRITE_FILE)  # for a stdout that is full
        if several and SHARED.is_dir():
            jail.allow_read_write(SHARED)
        version = jail.abi_version
        jail.apply()
    except (LandlockError, OSError) as error:
        return f"{ABSENT}: {error}"
    return "reads only" + (", no TCP" if version >= NETWORK else "") + f" (Landlock {version})"
