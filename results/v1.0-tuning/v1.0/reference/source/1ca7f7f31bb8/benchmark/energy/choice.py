"""Which counters a node's energy is read from: those that are there and readable, and together count nothing twice."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmark.energy.counter import Counter, reason
from benchmark.energy.gpus import amd, nvidia
from benchmark.energy.sysfs import cray, rapl

SYSFS = Path("/sys")
REHEARSAL = "ENERGY_REHEARSAL"  # a variable: a folder in place of sysfs; the log says so, and the rules refuse it


@dataclass(frozen=True)
class Choice:
    """The counters of a node, and for each source that can't be read why not. A `rehearsal` is of files that somebody
    made, and no measurement."""

    counters: tuple[Counter, ...]
    unreadable: dict[str, str]
    rehearsal: bool = False


def choose(uuids: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> Choice:
    """The counter of the whole node if it has one, or else those of its processors and of the GPUs with these uuids."""
    stand_in = environ.get(REHEARSAL)
    root, unreadable = Path(stand_in) if stand_in else SYSFS, {}
    counters = tried("cray", lambda: cray(root), unreadable)
    if not counters:
        counters = tried("rapl", lambda: rapl(root), unreadable)
        if uuids and not stand_in:
            counters += tried("nvml", lambda: nvidia(uuids), unreadable) or tried(
                "amdsmi", lambda: amd(uuids), unreadable
            )
    return Choice(tuple(counters), unreadable, bool(stand_in))


def tried(source: str, find: Callable[[], list[Counter]], unreadable: dict[str, str]) -> list[Counter]:
    """The counters of a source; none where they can't be read, and why in `unreadable`."""
    try:
        return find()
    except Exception as error:  # whatever a driver's library raises
        unreadable[source] = reason(error)
        return []
