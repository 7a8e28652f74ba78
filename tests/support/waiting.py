"""Waiting for what other processes do."""

import time
from pathlib import Path


def wait_for(condition, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds  # on a machine that does much else
    while not condition():
        assert time.monotonic() < deadline, "waited for too long"
        time.sleep(0.05)


def has(log: Path, key: str) -> bool:
    return log.exists() and f'"{key}"' in log.read_text()


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()
