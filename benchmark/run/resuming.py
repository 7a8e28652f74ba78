"""What a run needs to be resumed, whatever its framework: to be alone in its folder of checkpoints, and what its log
has so far."""

import os
import platform
import time
from pathlib import Path
from typing import IO

from benchmark.atomic import lock
from benchmark.log import Event, read_log
from benchmark.run.errors import reason

LOCK = "lock"  # the file in a folder of checkpoints that names the run at work in it
PATIENCE = 3.0  # seconds for a run that was killed to end


def lock_checkpoint_dir(root: Path) -> IO[str]:
    """Lock a folder of checkpoints, and with it the log, against other runs. The lock lasts until the returned file is
    closed or this process ends in any way. On a file system without locks there is none.

    Raises ValueError if another run is using the folder, or if it cannot be written to.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        file = open(root / LOCK, "a+", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise ValueError(reason(error)) from None  # which names the folder
    deadline = time.monotonic() + PATIENCE
    while not lock(file.fileno()):
        if time.monotonic() > deadline:
            file.seek(0)
            holder = file.read(200)
            file.close()
            raise ValueError(f"{root}: found a run at work in it ({holder}), wanted one at a time")
        time.sleep(0.1)
    try:
        file.truncate(0)
        os.write(file.fileno(), f"process {os.getpid()} on {platform.node()}".encode())
    except OSError as error:
        file.close()
        raise ValueError(f"{root / LOCK}: {reason(error)}") from None
    return file


def started(log: Path) -> int | None:
    """Return the time of a log's run_start, or None."""
    return next((e.time_ms for e in events(log, "run_start")), None)


def latest(log: Path) -> int:
    """Return the latest time in a log, in milliseconds since 1970."""
    return max((e.time_ms for e in read_log(log) if isinstance(e, Event) and type(e.time_ms) is int), default=0)


def events(log: Path, key: str) -> list[Event]:
    """Return a log's events with a key; none if there is no log."""
    found = (e for e in read_log(log) if isinstance(e, Event) and e.key == key) if log.exists() else ()
    return [e for e in found if isinstance(e.metadata, dict)]
