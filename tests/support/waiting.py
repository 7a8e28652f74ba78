"""Waiting for what other processes do."""

import time
from pathlib import Path


def wait_for(condition, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds  # on a machine that does much else
    while not condition():
        assert time.monotonic() < deadline, "waited for too long"
        time.sleep(0.01)


def comes_to(process, log: Path, key: str, times: int = 1) -> None:
    """Until a run's log has an event so often, which it must live to write."""

    def there() -> bool:
        ended = process.poll() is not None  # before the look, which may then be the last
        found = log.exists() and log.read_text().count(f'"key": "{key}"') >= times
        assert found or not ended, "the run has not come this far"
        return found

    wait_for(there)


def children(pid: int) -> list[int]:
    """The processes that a process has started, oldest first."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return sorted(int(child) for task in tasks for child in task.read_text().split())


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()
