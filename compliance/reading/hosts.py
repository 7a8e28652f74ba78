"""The names of hosts that `benchmark/hosts.py` made short, read from a submission."""

import re
from collections.abc import Iterable, Iterator

from benchmark.hosts import numbered

MOST, LONGEST = 1 << 17, 255  # hosts of a run that are read, and characters of a name of many
RANGE = re.compile(r"([^\[\]]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\]]*)")


NUMBER = re.compile(r"sha256-[0-9a-f]{64}-.*")  # what stands for a host whose name is not told


def same(one: set[str], other: set[str]) -> bool:
    """Return whether two sets of names are of the same hosts; those of one may be numbered."""
    return one == other or any(set(numbered(names).values()) == told for names, told in ((one, other), (other, one)))


def expanded(texts: Iterable[str], most: int = MOST) -> list[str]:
    """Return the names that `folded` made short. Raises ValueError for other texts, and for more than `most` names."""
    names: list[str] = []
    for text in texts:
        names += names_of(text, most - len(names))
        if len(names) > most:
            raise ValueError(f"found more than {most} hosts")
    return names


def names_of(text: str, most: int) -> Iterator[str]:
    """Yield the names that a text stands for, but none of more than `most`. Raises ValueError."""
    found = RANGE.fullmatch(text)
    if not found:
        if "[" in text or "]" in text:
            raise ValueError(f"found {text[:80]!r}, wanted a name, or names as n[01-04]")
        yield text
        return
    prefix, first, last, suffix = found.groups()
    if (
        len(text) > LONGEST
        or not 0 < int(last) - int(first) < most
        or len(str(int(last)).zfill(len(first))) != len(last)
    ):
        raise ValueError(f"found {text[:80]!r}, wanted at most {most} names, the first before the last")
    for number in range(int(first), int(last) + 1):
        yield f"{prefix}{number:0{len(first)}}{suffix}"
