"""Record what a reviewer's tool found, one line of JSON a run; `compliance/audit.py --replays` reads it."""

import errno
import hashlib
import json
import os
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
    data = json.dumps(line).encode() + b"\n"
    with naming(path), open(path, "ab", buffering=0) as file:
        written = file.write(data)
        if written < len(data):  # the disk is full: no half line stays
            file.truncate(file.tell() - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
