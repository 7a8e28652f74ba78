"""A line of JSON for each run that a reviewer's tool audited."""

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest

from harness.auditing.record import record


@pytest.mark.parametrize(("result", "outcome"), [(0, "agrees"), (1, "differs"), (2, "open")])
def test_a_line_names_the_log_and_what_was_found(tmp_path, result, outcome):
    log = tmp_path / "result_0.txt"
    log.write_bytes(b"a log\n")
    record(tmp_path / "replays.jsonl", log, "replay", result, "as logged", epochs=2)
    [line] = map(json.loads, (tmp_path / "replays.jsonl").read_text().splitlines())
    assert datetime.fromisoformat(line.pop("time")).utcoffset().total_seconds() == 0
    assert line == {
        "kind": "replay",
        "log": hashlib.sha256(b"a log\n").hexdigest(),
        "path": str(log),
        "epochs": 2,
        "outcome": outcome,
        "verdict": "as logged",
    }


def test_a_full_disk_is_named(tmp_path):
    log = tmp_path / "result_0.txt"
    log.write_bytes(b"a log\n")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        record(Path("/dev/full"), log, "replay", 0, "as logged")
