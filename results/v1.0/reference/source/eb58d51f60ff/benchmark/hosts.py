"""Names of many hosts in short, as Slurm writes them: n[0001-4096].example.org stands for 4,096 names."""

import re
from collections.abc import Iterable, Iterator

ALONE = 1024  # hosts of a run, up to which each name is written by itself
MOST, LONGEST = 1 << 17, 255  # hosts of a run that are read, and characters of a name of many
NUMBERED = re.compile(r"((?:[^.]*[^0-9.])?)([0-9]{1,9})([^0-9.]*(?:\..*)?)")  # by the last number before the first dot
RANGE = re.compile(r"([^\[\]]*)\[([0-9]{1,9})-([0-9]{1,9})\]([^\[\]]*)")


def folded(hosts: Iterable[str]) -> list[str]:
    """Return names of hosts, sorted, with those whose numbers follow each other as one text."""
    numbered = {name: NUMBERED.fullmatch(name) for name in hosts}
    texts = sorted(name for name, found in numbered.items() if not found)
    rows: list[list[str]] = []  # prefix, first number, last number, suffix
    for prefix, suffix, _, number in sorted((f[1], f[3], len(f[2]), f[2]) for f in numbered.values() if f):
        if rows and [prefix, suffix] == rows[-1][::3] and number == after(rows[-1][2]):
            rows[-1][2] = number
        else:
            rows.append([prefix, number, number, suffix])
    return texts + [f"{a}{n}{b}" if n == m else f"{a}[{n}-{m}]{b}" for a, n, m, b in rows]


def after(number: str) -> str:
    """Return the number after a number, with as many digits at least."""
    return str(int(number) + 1).zfill(len(number))


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
