"""What entrants tell a witness, and logs that they tell of."""

import json
from dataclasses import asdict
from pathlib import Path

from rules.registry import Request, canonical
from rules.witness import Start

REQUEST = Request("acme", "box", "scaffold", "smoke", "a" * 64, "b" * 64)
START = Start(**asdict(REQUEST), run="1" * 32, log="result_0.txt")
TEXT = canonical(asdict(START))


def write(log: Path, *keys: str) -> None:
    """Append events to a log."""
    with log.open("a") as file:
        for key in keys:
            event = {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": key, "value": None}
            file.write(f":::MLLOG {json.dumps({**event, 'metadata': {}})}\n")
