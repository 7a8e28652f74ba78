"""Lines of logs."""

import json


def line(key: str, time_ms: int = 1, value: object = None, metadata: object = ()) -> str:
    """The line of an event, with no metadata by default."""
    event = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps({**event, 'metadata': metadata or {}})}\n"
