"""The current edition of the rules: the newest folder v<number>.<number> whose limits.yaml is no draft. Runs log its
name."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OURS = re.compile(r"v(\d+)\.(\d+)")  # an edition of this project's rounds
DRAFT = re.compile(r"^draft: true$", re.M)  # in the limits.yaml of an edition that no round uses yet


def editions(root: Path = ROOT) -> list[str]:
    """Return the names of all editions."""
    return sorted(path.parent.name for path in root.glob("*/limits.yaml"))


def current(root: Path = ROOT) -> str:
    """Return the newest edition of this project's rounds that is no draft. Runs log it, and it applies if no folder
    names an edition. `python rules/new.py` makes the next one. Raises ValueError if there is none."""
    ours = [name for name in editions(root) if OURS.fullmatch(name) and not is_draft(name, root)]
    if not ours:
        raise ValueError(f"{root}: found no edition v<number>.<number> of the rules, wanted one")
    return max(ours, key=version)


def is_draft(name: str, root: Path = ROOT) -> bool:
    """Return whether no round uses an edition yet."""
    return bool(DRAFT.search((root / name / "limits.yaml").read_text(encoding="utf-8")))


def version(name: str) -> tuple[int, int]:
    """Return (major, minor) of an edition of this project's rounds. Raises ValueError for any other name."""
    match = OURS.fullmatch(name)
    if not match:
        raise ValueError(f"found the edition {name!r}, wanted v<number>.<number>, such as v1.1")
    return int(match[1]), int(match[2])


EDITION = current()
