"""Check submitted values: numbers, counts, seeds, depth."""

import math
from typing import Any, TypeGuard

LARGEST = 1 << 1000  # integers beyond this are no numbers
EXACT_IN_JSON = 1 << 53  # JSON readers of other languages round larger integers, so that some programs log text


class Unsound(ValueError):
    """A file with the wrong content: what was found and what is wanted."""

    def __init__(self, found: str, wanted: str):
        super().__init__(found, wanted)
        self.found, self.wanted = found, wanted


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number that a float can hold. Booleans are none."""
    if type(value) is int:
        return -LARGEST < value < LARGEST
    return type(value) is float and math.isfinite(value)


def count_of(value: object) -> int | None:
    """Return a count of a system description, which MLPerf HPC writes as text; None for anything else."""
    if type(value) is str and value.strip().isdecimal() and len(value) < 100:
        return int(value)
    return value if type(value) is int and 0 <= value < LARGEST else None


def seed_of(value: object) -> int | None:
    """Return a logged seed as an integer, None for anything else. Digits as text count, since JSON readers round beyond
    2^53."""
    if type(value) is int and 0 <= value < LARGEST:
        return value
    if type(value) is float and value.is_integer() and 0 <= value < EXACT_IN_JSON:
        return int(value)
    if type(value) is str and value.strip().isascii() and value.strip().isdigit() and len(value) < 100:
        return int(value)
    return None


def fields(value: object, *names: str) -> list[Any]:
    """Return the values of these names in an object, each None where it lacks one, or is no object."""
    return [value.get(name) if type(value) is dict else None for name in names]


def is_shallow(value: Any, levels: int) -> bool:
    """Return whether lists and dicts are nested at most so many levels deep."""
    if type(value) not in (list, dict):
        return True
    inner = value.values() if type(value) is dict else value
    return levels > 0 and all(is_shallow(v, levels - 1) for v in inner)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object of these pairs. Raises Unsound for a name that is given twice."""
    if len(dict(pairs)) < len(pairs):
        raise Unsound("a name that is given twice", "each once")
    return dict(pairs)
