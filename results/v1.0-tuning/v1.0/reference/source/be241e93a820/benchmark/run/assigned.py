"""The seed that the registry of a round assigns to a run. `rules/registry.py` says what a registry is, and reads it
whole; a run needs one entry of it."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular

SOURCE = "registry"  # the source of such a seed in a log
LARGEST = 8 << 20  # bytes of a registry
NAMES = ("organisation", "system", "benchmark", "problem", "source", "config")  # what an entry fixes


def assigned_seed(digest: str, run: int) -> int:
    """Return the seed of run `run`, counted from 0, of the entry with that digest: at least 2^62, less than 2^63, so
    that none looks small or like a clock."""
    total = hashlib.sha256(f"{digest} {run}".encode()).digest()
    return (1 << 62) + (int.from_bytes(total[:8], "big") >> 2)


@dataclass(frozen=True)
class Assigned:
    """Run `run` of entry `number` of the registry at `path`. `text` is the entry's JSON."""

    path: Path
    number: int
    run: int
    text: str

    @property
    def origin(self) -> dict[str, Any]:
        """What the log says of where the seed comes from."""
        return {"source": self.entry.get("drawn_by", SOURCE), "entry": self.number}

    @property
    def seed(self) -> int:
        """The seed that the run must use."""
        return assigned_seed(hashlib.sha256(self.text.encode()).hexdigest(), self.run)

    @cached_property
    def entry(self) -> dict[str, Any]:
        """The fields of the entry."""
        return dict(json.loads(self.text))

    def difference(self, *found: str) -> str:
        """Compare a run with its entry. `found` are organisation, system, benchmark, problem, and the digests of source
        and settings. Return the first difference, in words; "" if there is none."""
        for name, is_now in zip(NAMES, found, strict=True):
            if is_now != (wanted := self.entry[name]):
                return f"{name}: found {is_now}, wanted {wanted} as in entry {self.number} of {self.path}"
        return ""


def read_assigned(path: Path, number: int, run: int) -> Assigned:
    """Return run `run`, counted from 0, of entry `number`, counted from 1, of a registry. Raises ValueError, naming the
    file, for one that cannot be read, or without such an entry."""
    if run < 0:
        raise ValueError(f"run: found {run}, wanted 0 or more, as in result_<run>.txt")
    try:
        with open_regular(path) as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        found = f"found no registry that can be read ({error.strerror or error})"
        raise ValueError(f"{path}: {found}, wanted one") from None
    lines = data.decode("ascii", "backslashreplace").splitlines()
    if len(data) > LARGEST or not 1 <= number <= len(lines):
        raise ValueError(f"{path}: found {len(lines)} entries, wanted entry {number}")
    text = lines[number - 1].removeprefix("- ")
    try:
        fields = json.loads(text)
        sound = fields["entry"] == number and all(type(fields[name]) is str for name in NAMES)
    except (ValueError, TypeError, KeyError, RecursionError):
        sound = False
    if not sound or json.dumps(fields, sort_keys=True) != text:
        raise ValueError(f"{path}:{number}: found no entry {number} of a registry, wanted one")
    return Assigned(path, number, run, text)
