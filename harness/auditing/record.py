"""Record what a reviewer's tool found, one line of JSON a run; `compliance/audit.py --replays` reads it."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmark.atomic import naming

OUTCOMES = ("agrees", "differs", "open")  # by exit code


def record(path: Path, log: Path, kind: str, result: int, verdict: str, **facts: Any) -> None:
    """Append a line of JSON about one audited run to a file: the log with its sha256, the kind of audit, the outcome,
    and further facts. `result` is the exit code. Raises OSError."""
    line = {
        "kind": kind,
        "log": hashlib.sha256(log.read_bytes()).hexdigest(),
        "path": str(log),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
        "outcome": OUTCOMES[result],
        "verdict": verdict,
    }
    with naming(path), open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
