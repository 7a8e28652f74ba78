"""Names of many hosts in short, as Slurm writes them: n[0001-4096].example.org stands for 4,096 names. Where that is
still long, as names do not count up, hosts are numbered: sha256-<digest>-[1-4096] are those whose names have it."""

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence

ALONE = 1024  # hosts of a run, up to which each name is written by itself
LONGEST = 1 << 17  # characters of a run's names
NUMBERED = re.compile(r"((?:[^.]*[^0-9.])?)([0-9]{1,9})([^0-9.]*(?:\..*)?)")  # by the last number before the first dot


def short(groups: Sequence[Iterable[str]]) -> list[list[str]]:
    """Return the names of the hosts of each group in short, or their numbers in the order of the groups."""
    named = [list(group) for group in groups]
    texts = [folded(group) for group in named]
    if sum(len(text) for group in texts for text in group) <= LONGEST:
        return texts
    numbers = numbered(dict.fromkeys(name for group in named for name in group))
    return [folded(numbers[name] for name in group) for group in named]


def numbered(names: Collection[str]) -> dict[str, str]:
    """Return what is written for each of these different names: the digest of all of them, sorted, each with a line's
    end, and a number from 1 on, in order."""
    digest = hashlib.sha256("".join(f"{name}\n" for name in sorted(names)).encode()).hexdigest()
    return {name: f"sha256-{digest}-{number}" for number, name in enumerate(names, 1)}


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
