"""Facts: a value and where it comes from. What can't be read has no value, and its origin says why."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

LARGEST = 64 << 10  # bytes of a fact's value as JSON
LONGEST = 500  # characters of an origin
MOST_READ = 1 << 20  # bytes of a file of /proc or /sys
ROOT = Path("/")


class Fact(NamedTuple):
    """A value as JSON has it, None where it can't be read; the file, command or function that it comes from, with the
    reason where there is no value."""

    value: Any
    origin: str


def fact(origin: str, read: Callable[[], Any]) -> Fact:
    """What `read` returns. Never raises: what it raises is the reason why there is no value, and so is a value that is
    None, empty, or larger than a manifest takes."""
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
    """The text of a small file. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(MOST_READ).decode(errors="replace").strip()


def maybe(path: Path) -> str | None:
    """The text of a small file, None where it can't be read or is empty."""
    try:
        return text(path) or None
    except OSError:
        return None


def entries(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where there is none."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def key_values(path: Path) -> dict[str, list[str]]:
    """Lines `key: value` of a file, values by key; empty where there is none."""
    fields: dict[str, list[str]] = {}
    for line in (maybe(path) or "").splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), []).append(value.strip())
    return fields


def counted(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Equal items together, each with their number as `count`, in the order of the first of each."""
    groups: dict[str, dict[str, Any]] = {}
    for item in items:
        group = groups.setdefault(json.dumps(item, sort_keys=True), {**item, "count": 0})
        group["count"] += 1
    return list(groups.values())
