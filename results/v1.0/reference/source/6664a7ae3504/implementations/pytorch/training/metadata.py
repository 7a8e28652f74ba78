"""Write and read the metadata of a checkpoint: all of it but its tensors, as JSON with digests."""

import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.config import build, shown
from benchmark.log import open_regular
from benchmark.printable import reason

LARGEST = 1 << 24  # bytes; a part's name and digest take about 110, so this is enough for any number of ranks
PART, DIGEST = re.compile(r"part_[0-9]{6}\.safetensors"), re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class CheckpointMetadata:
    """The metadata of a checkpoint, after an epoch that did not reach the target. Times are milliseconds since 1970."""

    problem: str  # its digest
    settings: dict[str, Any]
    seed: int
    started: int  # the log's run_start
    saved: int
    epoch: int
    score: float
    facts: dict[str, Any]  # of the score
    parts: dict[str, str]  # sha256 of each file of tensors, by name
    places: dict[str, list[int]]  # of each tensor, by name: its first part, and the rows of each part

    def __post_init__(self):
        for name in ("settings", "facts", "parts", "places"):
            if not isinstance(value := getattr(self, name), dict):
                raise ValueError(f"{name}: found {shown(value)}, wanted a mapping")
        for name in ("seed", "started", "saved", "epoch"):
            if not 0 <= (value := getattr(self, name)) < 2**63:
                raise ValueError(f"{name}: found {shown(value)}, wanted 0 or more, and less than 2^63")
        for name, digest in self.parts.items():
            if not PART.fullmatch(name) or not isinstance(digest, str) or not DIGEST.fullmatch(digest):
                raise ValueError(f"parts: found {shown({name: digest})}, wanted names of parts with their sha256")
        for name, place in self.places.items():
            sound = type(place) is list and len(place) == 2 and all(type(n) is int and 0 <= n < 2**63 for n in place)
            if not sound or place[1] < 1:
                wanted = "the first part of each tensor, from 0, and the rows of each part, from 1"
                raise ValueError(f"places: found {shown({name: place})}, wanted {wanted}")


def render(at: CheckpointMetadata) -> str:
    """Return metadata as JSON. Its first field is the sha256 of the text without that digest."""
    fields = dataclasses.asdict(at)
    digest = hashlib.sha256(json.dumps({"sha256": "", **fields}, indent=1).encode()).hexdigest()
    return json.dumps({"sha256": digest, **fields}, indent=1)


def load_metadata(path: Path) -> CheckpointMetadata:
    """Return the metadata in a file that `render` wrote. Raises ValueError, naming the file, for any other content."""
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ValueError(f"found more than {LARGEST} bytes")
        fields = json.loads(data)
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no metadata of a checkpoint: {reason(error)}") from None
    wanted = fields.pop("sha256", None) if isinstance(fields, dict) else None
    found = hashlib.sha256(data.replace(str(wanted).encode(errors="replace"), b"", 1)).hexdigest()
    if found != wanted:
        raise ValueError(f"{path}: found sha256 {found}, wanted {shown(wanted)}, as the file itself says")
    return build(CheckpointMetadata, fields, str(path))
