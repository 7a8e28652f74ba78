"""The place of a submitted file in the published source."""

import functools
import re
from pathlib import Path

from compliance.reading.source import SHARED, depth_of
from rules.published import IMPLEMENTATIONS, REFERENCE, REPOSITORY, own_files, place

# Files in which few lines change the mathematics or the clock:
SENSITIVE = re.compile(
    r"(benchmark|implementations/pytorch)/(.*/)?(average|clock|evaluate|fingerprint|lamb|log|loss|metric|order|process"
    r"|reader|run|schedule|seeds|step|stop)\.py|implementations/minimal/train\.py"
)
TOPS = (IMPLEMENTATIONS, "benchmark", "rules")


def published_path(parts: tuple[str, ...]) -> str:
    """Return the path of the published file with which a submitted file is compared, "" for a file in no folder of
    source. `parts` are those of its path below the submission."""
    depth = depth_of(parts)
    if not depth:
        return ""
    path = "/".join(parts[depth:])
    return place(path) if parts[0] == SHARED or parts[depth] in TOPS else f"{REFERENCE}/{path}"


@functools.lru_cache(maxsize=1000)
def published_text(path: str) -> str | None:
    """Return the text of a published file, None if this tree has none."""
    return Path(REPOSITORY, path).read_text(encoding="utf-8") if path in own_files() else None
