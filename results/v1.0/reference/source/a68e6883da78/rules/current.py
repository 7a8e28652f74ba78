"""The current edition of the rules: the newest folder v<number>.<number> that has a limits.yaml. Runs log its name."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OURS = re.compile(r"v(\d+)\.(\d+)")  # an edition of this project's rounds


def editions(root: Path = ROOT) -> list[str]:
    """Return the names of all editions."""
    return sorted(path.parent.name for path in root.glob("*/limits.yaml"))


def current(root: Path = ROOT) -> str:
    """Return the newest edition of this project's rounds. Runs log it, and it applies if no folder names an edition.
    `python rules/new.py` makes the next one. Raises ValueError if there is none."""
    ours = [name for name in editions(root) if OURS.fullmatch(name)]
    if not ours:
        raise ValueError(f"{root}: found no edition v<number>.<number> of the rules, wanted one")
    return max(ours, key=version)


def version(name: str) -> tuple[int, int]:
    """Return (major, minor) of an edition of this project's rounds. Raises ValueError for any other name."""
    match = OURS.fullmatch(name)
    if not match:
        raise ValueError(f"found the edition {name!r}, wanted v<number>.<number>, such as v1.1")
    return int(match[1]), int(match[2])


EDITION = current()
