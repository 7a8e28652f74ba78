"""Confine the checker with Landlock: once its modules are loaded, the kernel lets it change no content of files.

The checker executes nothing of a submission. If a file ever took it over through a bug in Python or in a library, it
could still not write, make, rename or remove a file, start a program, or open a TCP connection. Landlock needs Linux
5.13 or later, and no privilege (https://docs.kernel.org/userspace-api/landlock.html). It can't be undone. It does not
cover modes, owners, times and extended attributes of files, nor protocols other than TCP: what took the checker over
could change these as far as the user may, and send what it reads by UDP.
"""

import os

ABSENT = "none"  # begins the words if there is no sandbox
NETWORK = 4  # the first version of Landlock that can forbid TCP


def shut_in() -> str:
    """Forbid this process to write files, to execute and to open TCP connections. Return in words what is in force;
    they begin with ABSENT if nothing is."""
    try:
        from py_landlock import AccessFs, Landlock, LandlockError
    except ImportError:
        return f"{ABSENT}: py-landlock is not installed"
    try:
        jail = Landlock(strict=False).allow_read("/")
        jail.add_path_rule(os.devnull, access=AccessFs.READ_FILE | AccessFs.WRITE_FILE)  # for a stdout that is full
        version = jail.abi_version
        jail.apply()
    except (LandlockError, OSError) as error:
        return f"{ABSENT}: {error}"
    return "no writing to files, no programs" + (", no TCP" if version >= NETWORK else "") + f" (Landlock {version})"
