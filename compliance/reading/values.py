"""Check submitted values: numbers, counts, seeds, depth, form; and sum and group them."""

import json
import math
import operator
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, NoReturn, TypeGuard, TypeVar

from benchmark.printable import reason

LARGEST = 1 << 1000  # integers beyond this are no numbers
EXACT_IN_JSON = 1 << 53  # JSON readers of other languages round larger integers, so that some programs log text
Item = TypeVar("Item")
Key = TypeVar("Key")


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


def total(numbers: Iterable[float]) -> float:
    """Return the sum of numbers, added one after the other. It has the same bits in every Python, unlike that of sum(),
    which is more exact from Python 3.12 on; and it never raises, unlike math.fsum()."""
    return reduce(operator.add, numbers, 0)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items by their key, in order."""
    found: dict[Key, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


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


def is_size(value: object) -> bool:
    """Return whether a value is an integer from 0 on that every program reads exactly."""
    return type(value) is int and 0 <= value < EXACT_IN_JSON


def is_word(value: object) -> bool:
    """Return whether a value is text that is not blank."""
    return type(value) is str and bool(value.strip())


def has_form(value: Any, form: Any) -> bool:
    """Return whether a value has a form: a type, or a function that tells; [form] of all items of a list; {name: form}
    of the fields of an object, which may have others, where `str` stands for all names."""
    if type(form) is list:
        return type(value) is list and all(has_form(item, form[0]) for item in value)
    if type(form) is dict:
        if type(value) is not dict:
            return False
        named = {name: has_form(value.get(name), of) for name, of in form.items() if name is not str}
        return all(named.values()) and (str not in form or all(has_form(item, form[str]) for item in value.values()))
    return type(value) is form if isinstance(form, type) else bool(form(value))


def read_object(data: bytes, what: str = "") -> dict[str, Any]:
    """Return the JSON object in `data`, which errors call `what`. Raises Unsound for anything else, for a name that is
    given twice, and for numbers that are not finite."""
    try:
        found = json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)
    except Unsound:
        raise
    except (ValueError, RecursionError) as error:
        raise Unsound(f"{what}no JSON: {reason(error)[:80]}", "an object") from None
    if type(found) is not dict:
        raise Unsound(f"{what}{type(found).__name__!r}", "an object")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Unsound("a name that is given twice", "each once")
    return dict(pairs)


def _no_number(name: str) -> NoReturn:
    raise Unsound(f"the number {name}", "finite numbers")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text[:40])
