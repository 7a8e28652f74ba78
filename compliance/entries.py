"""Lists that reviewers write in YAML, outside of what is judged: waivers, and reviews."""

from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeVar

import yaml

from benchmark.config import build

T = TypeVar("T")


def read_entries(path: Path, judged: Iterable[str | Path], cls: type[T], what: str) -> tuple[tuple[int, T], ...]:
    """The entries of a file, each a `cls` with the line where it begins. `what` names them in messages.

    Raises ValueError if the file can't be read, holds no list, has an entry that is none, or lies in what is judged.
    """
    real = path.resolve()
    for place in judged:
        if real.is_relative_to(Path(place).resolve()):
            raise ValueError(f"{path}: {what} inside of {place}, wanted a file outside of what is judged")
    try:
        text = path.read_text(encoding="utf-8")
        node, entries = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as error:  # ValueError: no UTF-8, or a date that is none
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path}: cannot be read as YAML: nested too deeply") from None
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise ValueError(f"{path}: found a {type(entries).__name__}, wanted a list of {what}")
    lines = [item.start_mark.line + 1 for item in node.value]
    found = [{**entry, **dates(entry)} if isinstance(entry, dict) else entry for entry in entries]
    return tuple((line, build(cls, entry, f"{path}:{line}")) for line, entry in zip(lines, found, strict=True))


def dates(entry: dict) -> dict[str, str]:
    """The values that YAML reads as dates, as the text that was written: YYYY-MM-DD."""
    return {name: value.isoformat() for name, value in entry.items() if type(value) is date}


def day(text: str, name: str) -> date:
    """A date. Raises ValueError, opened by the field's name, for anything but YYYY-MM-DD."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:  # 20261122 is ISO, too
        raise ValueError(f"{name}: found {text!r}, wanted a day, YYYY-MM-DD")
    return found


def fits(pattern: str, path: str) -> bool:
    """Whether a pattern stands for a path: whole names, of which each may hold the wildcards of fnmatch (`*`, `?`,
    `[...]`), which stay within a name. The pattern is the end of the path; where it ends in `/`, it is a folder at any
    depth, and stands for all that is below it."""
    wanted, names = [p for p in pattern.split("/") if p], path.split("/")
    if not wanted:
        return False
    last = len(names) - len(wanted)
    starts = range(last) if pattern.endswith("/") else range(last, last + 1) if last >= 0 else ()
    return any(all(map(_same, names[start:], wanted)) for start in starts)


def _same(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)
