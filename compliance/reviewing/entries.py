"""Read the lists that reviewers write in YAML: waivers and reviews. They lie outside of what is judged."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from benchmark.config import T, build


def read_entries(path: Path, judged: Iterable[str | Path], cls: type[T], what: str) -> tuple[tuple[int, T], ...]:
    """Return the entries of a file, each as (line, `cls`). `what` names them in messages.

    Raises ValueError if the file can't be read, holds no list, has a malformed entry, or lies in what is judged.
    """
    real = path.resolve()
    for place in judged:
        if real.is_relative_to(Path(place).resolve()):
            raise ValueError(f"{path}: found {what} inside of {place}, wanted a file outside of what is judged")
    try:
        text = path.read_text(encoding="utf-8")
        node, entries = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except (LookupError, AttributeError):  # PyYAML's own errors
        raise ValueError(f"{path}: cannot be read as YAML: found a tag, such as !!int, on no value of it") from None
    except (ValueError, yaml.YAMLError) as error:  # ValueError: not UTF-8, or no date of the calendar
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None
    except RecursionError:
        raise ValueError(f"{path}: cannot be read as YAML: nested too deeply") from None
    if node is None or entries is None:
        return ()
    if not isinstance(entries, list):
        raise ValueError(f"{path}: found a {type(entries).__name__}, wanted a list of {what}")
    lines = [item.start_mark.line + 1 for item in node.value]
    found = [{**entry, **dates(entry)} if isinstance(entry, dict) else entry for entry in entries]
    return tuple((line, build(cls, entry, f"{path}:{line}")) for line, entry in zip(lines, found, strict=True))


def dates(entry: dict[str, Any]) -> dict[str, str]:
    """Return the values that YAML read as dates, as text: YYYY-MM-DD."""
    return {name: value.isoformat() for name, value in entry.items() if type(value) is date}


def day(text: str, name: str) -> date:
    """Return the date that `text` gives as YYYY-MM-DD. Raises ValueError, which names the field, for anything else."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:  # 20261122 is ISO, too
        raise ValueError(f"{name}: found {text!r}, wanted a day, YYYY-MM-DD")
    return found


def covers_path(pattern: str, path: str) -> bool:
    """Return whether a pattern of whole names matches the end of a path.

    A name may have the wildcards of fnmatch (`*`, `?`, `[...]`), which stay within it. A pattern that ends in `/` is a
    folder at any depth, and matches every path below it.
    """
    wanted, place = pattern.strip("/"), PurePosixPath(path)
    return bool(wanted) and any(p.match(wanted) for p in (place.parents if pattern.endswith("/") else [place]))
