"""A fact is a value and its origin. A fact that cannot be read has no value, and its origin says why."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

LARGEST = 64 << 10  # bytes of a fact's value as JSON
LONGEST = 500  # characters of an origin
MOST_READ = 16 << 20  # bytes of a file of /proc or /sys: cpuinfo has 2 KB a thread
ROOT = Path("/")


class Fact(NamedTuple):
    """A value that JSON can hold, or None where it cannot be read, and its origin: a file, command or function, with
    the reason where there is no value."""

    value: Any
    origin: str


def fact(origin: str, read: Callable[[], Any]) -> Fact:
    """Return what `read` returns, as a fact. If `read` raises, or returns nothing or more than a manifest may hold, the
    fact has no value and its origin has the reason. Never raises."""
    try:
        value = read()
        size = len(json.dumps(value))
    except Exception as error:
        why = getattr(error, "strerror", None) or str(error).partition("\n")[0] or type(error).__name__
        return Fact(None, f"{origin}: {why}"[:LONGEST])
    if value in (None, "", [], {}):
        return Fact(None, f"{origin}: nothing there"[:LONGEST])
    if size > LARGEST:
        return Fact(None, f"{origin}: {size} bytes, more than {LARGEST}"[:LONGEST])
    return Fact(value, origin[:LONGEST])


def text(path: Path) -> str:
    """Return the text of a small file. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(MOST_READ).decode(errors="replace").strip()


def maybe(path: Path) -> str | None:
    """Return the text of a small file; None where it cannot be read or is empty."""
    try:
        return text(path) or None
    except OSError:
        return None


def entries(folder: Path) -> list[Path]:
    """Return the entries of a folder, sorted; none where the folder does not exist."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def key_values(path: Path) -> dict[str, list[str]]:
    """Return the values in a file's lines `key: value`, by key; none where the file does not exist."""
    fields: dict[str, list[str]] = {}
    for line in (maybe(path) or "").splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), []).append(value.strip())
    return fields


def counted(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the distinct items in order, each with the number of its equals as `count`."""
    groups: dict[str, dict[str, Any]] = {}
    for item in items:
        group = groups.setdefault(json.dumps(item, sort_keys=True), {**item, "count": 0})
        group["count"] += 1
    return list(groups.values())
