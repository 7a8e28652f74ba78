"""What a stranger's value is: a number, a seed."""

import math
from typing import Any

LARGEST = 1 << 1000  # of integers that count as numbers
EXACT_IN_JSON = 1 << 53  # beyond this other languages' JSON readers round, so that some log a string


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold: `true` is not 1."""
    if type(value) is int:
        return -LARGEST < value < LARGEST
    return type(value) is float and math.isfinite(value)


def count_of(value: object) -> int | None:
    """A count of a system description, where MLPerf HPC writes numbers as text, or None of anything else."""
    if type(value) is str and value.strip().isdecimal() and len(value) < 100:
        return int(value)
    return value if type(value) is int and 0 <= value < LARGEST else None


def seed_of(value: object) -> int | None:
    """A logged seed as an integer, or None. Text of digits counts: JSON readers round beyond 2^53."""
    if type(value) is int and 0 <= value < LARGEST:
        return value
    if type(value) is float and value.is_integer() and 0 <= value < EXACT_IN_JSON:
        return int(value)
    if type(value) is str and value.strip().isascii() and value.strip().isdigit() and len(value) < 100:
        return int(value)
    return None
