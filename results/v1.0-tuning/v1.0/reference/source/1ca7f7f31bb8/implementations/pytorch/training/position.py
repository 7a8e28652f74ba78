"""Where a run stands after an epoch: what a checkpoint holds beside tensors, as JSON, with the digests of all of it."""

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import build, shown
from benchmark.log import open_regular

LARGEST = 1 << 24  # bytes; a part's name and digest take about 110, so this is far beyond any number of ranks
PART, DIGEST = re.compile(r"part_[0-9]{6}\.safetensors"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Position:
    """Where a run stands after an epoch that didn't reach the target. Times in milliseconds since 1970."""

    problem: str  # its digest
    settings: dict[str, Any]
    seed: int
    started: int  # the log's run_start
    saved: int
    epoch: int
    score: float
    facts: dict[str, Any]  # of the score
    parts: dict[str, str]  # sha256 of each file of tensors, by name

    def __post_init__(self):
        for name in ("settings", "facts", "parts"):
            if not isinstance(value := getattr(self, name), dict):
                raise ValueError(f"{name}: found {shown(value)}, wanted a mapping")
        for name in ("seed", "started", "saved", "epoch"):
            if not 0 <= (value := getattr(self, name)) < 2**63:
                raise ValueError(f"{name}: found {shown(value)}, wanted 0 or more, and less than 2^63")
        for name, digest in self.parts.items():
            if not PART.fullmatch(name) or not isinstance(digest, str) or not DIGEST.fullmatch(digest):
                raise ValueError(f"parts: found {shown({name: digest})}, wanted names of parts with their sha256")


def render(at: Position) -> str:
    """A position as JSON. Its first field is the sha256 of all of the text but that digest."""
    fields = dataclasses.asdict(at)
    digest = hashlib.sha256(json.dumps({"sha256": "", **fields}, indent=1).encode()).hexdigest()
    return json.dumps({"sha256": digest, **fields}, indent=1)


def load_position(path: Path) -> Position:
    """What `render` wrote into a file. Raises ValueError naming the file if that is not what it holds now."""
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ValueError(f"found more than {LARGEST} bytes")
        fields = json.loads(data)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no position of a run: {error}") from None
    wanted = fields.pop("sha256", None) if isinstance(fields, dict) else None
    found = hashlib.sha256(data.replace(str(wanted).encode(errors="replace"), b"", 1)).hexdigest()
    if found != wanted:
        raise ValueError(f"{path}: found sha256 {found}, wanted {shown(wanted)}, as the file itself says")
    return build(Position, fields, str(path))
