"""The place of a submitted file in the published source."""

from compliance.reading.source import SHARED, depth_of
from rules.published import IMPLEMENTATIONS, REFERENCE, place

TOPS = (IMPLEMENTATIONS, "benchmark", "rules")


def published_path(parts: tuple[str, ...]) -> str:
    """Return the path of the published file with which a submitted file is compared, "" for a file in no folder of
    source. `parts` are those of its path below the submission."""
    depth = depth_of(parts)
    if not depth:
        return ""
    path = "/".join(parts[depth:])
    return place(path) if parts[0] == SHARED or parts[depth] in TOPS else f"{REFERENCE}/{path}"
