"""Names of many hosts in short, as Slurm writes them: n[0001-4096].example.org stands for 4,096 names."""

import re
from collections.abc import Iterable

ALONE = 1024  # hosts of a run, up to which each name is written by itself
NUMBERED = re.compile(r"((?:[^.]*[^0-9.])?)([0-9]{1,9})([^0-9.]*(?:\..*)?)")  # by the last number before the first dot


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
