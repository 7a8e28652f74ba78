"""Read the reviewer's file of replays and re-evaluations, which `replay.py` and `reevaluate.py` write by `--record`.

It has a line of JSON for each log that was run again, which names the log by its sha256.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.printable import reason

KINDS = ("replay", "reevaluation", "held-out")  # the first is the default
OUTCOMES = ("agrees", "differs", "open")
CODES = ("reference", "submitted")  # whose code ran
LARGEST = 16 << 20  # bytes
LOG, WORDS = 64, 400  # characters of a digest, and most characters of a verdict


@dataclass(frozen=True)
class Replay:
    """The outcome of running the log with this sha256 again. `epochs` is the number replayed, None for weights."""

    log: str
    kind: str
    epochs: int | None
    code: str
    outcome: str
    verdict: str


def read_replays(path: Path) -> dict[str, list[Replay]]:
    """Return the replays by the sha256 of their log, in order. Raises ValueError with file, line and fault."""
    try:
        data = path.read_bytes()[: LARGEST + 1]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise ValueError(f"{path}: found more than {LARGEST} bytes, wanted what --record writes")
    found: dict[str, list[Replay]] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            replay = _replay(line, f"{path}:{number}")
            found.setdefault(replay.log, []).append(replay)
    return found


def _replay(line: bytes, where: str) -> Replay:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: found no JSON ({reason(error)[:100]}), wanted a line of --record") from None
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {type(values).__name__}, wanted an object")
    log, epochs, verdict = values.get("log"), values.get("epochs"), values.get("verdict")
    _want(isinstance(log, str) and len(log) == LOG, where, "log", log, "a sha256")
    kind = values.get("kind", "replay")
    _want(kind in KINDS, where, "kind", kind, " or ".join(KINDS))
    if kind == "replay":
        _want(type(epochs) is int and epochs > 0, where, "epochs", epochs, "1 or more")
    _want(values.get("code") in CODES, where, "code", values.get("code"), " or ".join(CODES))
    _want(values.get("outcome") in OUTCOMES, where, "outcome", values.get("outcome"), " or ".join(OUTCOMES))
    _want(isinstance(verdict, str) and len(verdict) <= WORDS, where, "verdict", verdict, "a sentence")
    passed = epochs if kind == "replay" else None
    return Replay(values["log"], kind, passed, values["code"], values["outcome"], values["verdict"])


def _want(sound: bool, where: str, name: str, found: Any, wanted: str) -> None:
    if not sound:
        raise ValueError(f"{where}: {name}: found {found!r:.80}, wanted {wanted}")
