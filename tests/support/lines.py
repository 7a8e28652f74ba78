"""Lines of logs, and events that are read from them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmark.log import Event


def line(key: str, time_ms: int = 1, value: object = None, metadata: object = ()) -> str:
    """The line of an event, with no metadata by default."""
    event = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps({**event, 'metadata': metadata or {}})}\n"


def written(log: Path) -> list[dict]:
    """The events of a log as its lines have them."""
    return [json.loads(text.partition(":::MLLOG")[2]) for text in log.read_text().splitlines()]


def changed(log: Path, key: str, change: Callable[[dict], object], folder: Path | None = None) -> Path:
    """Write a log again, or into another folder, with a change to each event of a key; the file."""
    events = written(log)
    for event in events:
        if event["key"] == key:
            change(event)
    path = (folder or log.parent) / log.name
    path.write_text("".join(f":::MLLOG {json.dumps(event)}\n" for event in events))
    return path


def of(events: Iterable[Event], key: str) -> list[Event]:
    """The events with a key."""
    return [event for event in events if event.key == key]


def values(events: Iterable[Event], key: str) -> list[Any]:
    """The values of the events with a key."""
    return [event.value for event in of(events, key)]
