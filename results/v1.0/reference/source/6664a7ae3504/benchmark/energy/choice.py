"""Choose the counters of a node's energy: those that can be read, so that none counts what another one counts."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmark.energy.counter import Counter, reason
from benchmark.energy.sysfs import cray, rapl

SYSFS = Path("/sys")
COUNTERS = "ENERGY_COUNTERS"  # variable: with "off", no counters are read
REHEARSAL = "ENERGY_REHEARSAL"  # variable with a folder that replaces sysfs; the log says so, and the rules refuse it


@dataclass(frozen=True)
class Choice:
    """The counters of a node, and the reason for each source that cannot be read. A `rehearsal` reads files that
    somebody made and is no measurement."""

    counters: tuple[Counter, ...]
    unreadable: dict[str, str]
    rehearsal: bool = False


def choose(uuids: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> Choice:
    """Return the counter of the whole node if there is one, else those of processors and of GPUs with these uuids; none
    where they are switched off."""
    if environ.get(COUNTERS) == "off":
        return Choice((), {"all": f"{COUNTERS} is off"})
    stand_in = environ.get(REHEARSAL)
    root = Path(stand_in) if stand_in else SYSFS
    unreadable: dict[str, str] = {}
    counters = tried("cray", lambda: cray(root), unreadable)
    if not counters:
        counters = tried("rapl", lambda: rapl(root), unreadable)
        if uuids and not stand_in:
            from benchmark.energy.gpus import amd, nvidia  # here, because a run on processors does not load it

            counters += tried("nvml", lambda: nvidia(uuids), unreadable) or tried(
                "amdsmi", lambda: amd(uuids), unreadable
            )
    return Choice(tuple(counters), unreadable, bool(stand_in))


def tried(source: str, find: Callable[[], list[Counter]], unreadable: dict[str, str]) -> list[Counter]:
    """Return the counters of a source. Where they cannot be read, return none and put the reason into `unreadable`."""
    try:
        return find()
    except Exception as error:  # whatever a driver's library raises
        unreadable[source] = reason(error)
        return []
