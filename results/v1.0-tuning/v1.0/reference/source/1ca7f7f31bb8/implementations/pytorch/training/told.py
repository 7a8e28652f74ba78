"""The line on stdout that other tools read: `time to target: 28.381 s`."""

from pathlib import Path

from benchmark.log import Event, read_log

LINE = "time to target: {:.3f} s"


def told(log: Path) -> str:
    """What a finished log says: from its first run_start to its first run_stop, in seconds, to the millisecond.

    A run that was interrupted and went on is timed from its first start, as the rules have it. Raises OSError for a log
    that can't be read, and ValueError for one without both.
    """
    times: dict[str, int] = {}
    for event in read_log(log):
        if isinstance(event, Event) and event.key in ("run_start", "run_stop"):
            times.setdefault(event.key, event.time_ms)
    if len(times) < 2:
        raise ValueError(f"{log}: found {', '.join(times) or 'neither run_start nor run_stop'}, wanted both")
    return LINE.format((times["run_stop"] - times["run_start"]) / 1000)
