"""What was run again: the file to which `replay.py --record` adds a line of JSON for each replay. It is the reviewer's
own, and says of each replay which log it was, by the log's sha256."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OUTCOMES = ("agrees", "differs", "open")
CODES = ("reference", "submitted")  # whose code ran
LARGEST = 16 << 20  # bytes
LOG, WORDS = 64, 400  # characters of a digest, and most of a verdict


@dataclass(frozen=True)
class Replay:
    """One replay: of the log with this sha256, over so many epochs."""

    log: str
    epochs: int
    code: str
    outcome: str
    verdict: str


def read_replays(path: Path) -> dict[str, list[Replay]]:
    """The replays by their log's sha256, in order. Raises ValueError naming file, line and what is wrong."""
    try:
        data = path.read_bytes()[: LARGEST + 1]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise ValueError(f"{path}: found more than {LARGEST} bytes, wanted what replay.py --record writes")
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
        raise ValueError(f"{where}: found no JSON ({str(error)[:100]}), wanted a line of replay.py --record") from None
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {type(values).__name__}, wanted an object")
    log, epochs, verdict = values.get("log"), values.get("epochs"), values.get("verdict")
    _want(isinstance(log, str) and len(log) == LOG, where, "log", log, "a sha256")
    _want(type(epochs) is int and epochs > 0, where, "epochs", epochs, "1 or more")
    _want(values.get("code") in CODES, where, "code", values.get("code"), " or ".join(CODES))
    _want(values.get("outcome") in OUTCOMES, where, "outcome", values.get("outcome"), " or ".join(OUTCOMES))
    _want(isinstance(verdict, str) and len(verdict) <= WORDS, where, "verdict", verdict, "a sentence")
    return Replay(log, epochs, values["code"], values["outcome"], verdict)


def _want(sound: bool, where: str, name: str, found: Any, wanted: str) -> None:
    if not sound:
        raise ValueError(f"{where}: {name}: found {found!r:.80}, wanted {wanted}")
