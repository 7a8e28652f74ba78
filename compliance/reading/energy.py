"""Energy from counters of the machine: read a log's sources and readings, and compute joules from them.

`benchmark/energy/entry.py` has the format. A run that was interrupted gets no energy: what was drawn in between is not
known.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmark.energy.counter import COUNTS
from benchmark.energy.entry import ALONE, MOMENTS, READING, SOURCES
from benchmark.log import Event
from compliance.finding import counted, show
from compliance.reading.log import Log
from compliance.reading.timeline import Timeline, epoch_of, metadata
from compliance.reading.values import is_number, total
from rules.energy import SCOPES

MOST_SOURCES = 10_000
MOST_COUNTERS = 1 << 24  # that an entry may stand for
MOST_NUMBERS = 5_000_000  # of all readings of a log
SHOWN = 20  # faults of a log that are reported
LONGEST = 200  # characters of a name
METER, NODE, COMPONENT, REHEARSAL = "meter", "node", "component", "rehearsal"
UNSOUND = tuple(f"ENE0{n}" for n in (1, 2, 3, 4, 6, 7, 9))  # rules without which counters give no figure
INSIDE = {scope: SCOPES[at + 1 :] for at, scope in enumerate(SCOPES)}  # what each may contain
INSIDE["device"] = ()  # a GPU has no processor's package in it


class Energy(NamedTuple):
    """The energy of a run in joules: of the whole run, and of its epochs and its evaluations, None if unknown. `tier`
    says what measured it."""

    tier: str
    joules: float
    training: float | None = None
    evaluation: float | None = None


class Source(NamedTuple):
    """A counter, or `counters` equal ones of `nodes` equal nodes, the first of which it names. Each wraps to 0 at
    `wraps_at` joules, and its device draws at most `limit` watts. None if unknown."""

    node: str
    source: str
    scope: str
    device: str
    wraps_at: float | None
    limit: float | None
    counters: int
    nodes: int


class Reading(NamedTuple):
    """All counters at one moment: milliseconds since 1970, and joules since the first reading, None for a counter that
    could not be read. `gap` is the longest time between two readings so far, in seconds. Entries that stand for several
    counters have the `earliest` of their times beside the latest."""

    line: int
    moment: str
    epoch: Any
    times: list[int]
    joules: list[float | None]
    gap: float
    earliest: list[int] = []  # noqa: RUF012  a tuple's default, which nobody changes


Moment = tuple[str, Any]  # of a reading, with its epoch


class Coverage(NamedTuple):
    """The part of a run's machine that was measured: the line of the sources, the tier ("" if it differs between
    nodes), the number of nodes, the fewest packages and devices of a node, and the number of failed counters."""

    line: int
    tier: str
    nodes: int
    packages: int
    devices: int
    failed: int


@dataclass(frozen=True)
class Live:
    """The sources and readings of a log, and the faults in their form: (line, found, wanted)."""

    line: int
    sources: tuple[Source, ...]
    readings: tuple[Reading, ...]
    rehearsal: bool
    faults: tuple[tuple[int, str, str], ...]


def live_of(log: Log) -> Live:
    """Return the counters of a log; none if it has none, or its run was interrupted. Computed once a log."""
    if "energy" not in log.memo:
        log.memo["energy"] = _live(log)
    found: Live = log.memo["energy"]
    return found


def _live(log: Log) -> Live:
    events, readings = log.all(SOURCES), log.all(READING)
    if not (events or readings) or log.first("resumed"):
        return Live(1, (), (), False, ())
    if not events:
        return Live(readings[0].line, (), (), False, ((readings[0].line, f"{READING} without {SOURCES}", SOURCES),))
    first = events[0]
    faults = [(event.line, f"another {SOURCES}", f"one, as in line {first.line}") for event in events[1:]]
    items = first.value if type(first.value) is list and len(first.value) <= MOST_SOURCES else None
    sources = [source for item in items or () if (source := _source(item))]
    if wrong := _wrong(first.value, items, sources, len(readings)):
        return Live(first.line, (), (), False, (*faults[:SHOWN], (first.line, *wrong)))
    found = []
    for event in readings:
        reading = _reading(event, len(sources))
        if reading:
            found.append(reading)
        elif len(faults) < SHOWN:
            wanted = f"time_ms and joules of each of {len(sources)} counters, moment, gap_seconds"
            faults.append((event.line, f"{READING} {show(event.value)} {show(event.metadata)}", wanted))
    rehearsal = metadata(first, "rehearsal") is not False  # anything but an explicit false is a rehearsal
    return Live(first.line, tuple(sources), tuple(found), rehearsal, tuple(faults[:SHOWN]))


def _wrong(value: Any, items: list[Any] | None, sources: list[Source], readings: int) -> tuple[str, str] | None:
    """Return (found, wanted) if the value of an event is no list of counters that can be judged, else None."""
    if items is None or len(sources) < len(items):
        odd = value if items is None else next(item for item in items if _source(item) is None)
        wanted = f"a list of node, source, scope ({', '.join(SCOPES)}), device, wraps_at, limit_watts"
        return f"{SOURCES} {show(odd)}", wanted
    if any(source.counters > 1 for source in sources) and sum(source.counters for source in sources) <= ALONE:
        return "equal counters told together", f"each by itself: only more than {ALONE} are told together"
    if len(sources) * readings > MOST_NUMBERS:
        return f"{readings} readings of {len(sources)} counters", "no more than can be judged"
    return None


def _source(item: Any) -> Source | None:
    if type(item) is not dict:
        return None
    words: Any = [item.get(name) for name in ("node", "source", "scope", "device")]
    if not all(type(word) is str and 0 < len(word.strip()) <= LONGEST for word in words):
        return None
    node, source, scope, device = words
    if COUNTS.get(source, scope) != scope or scope not in SCOPES:  # a known source counts one scope, others any
        return None
    wraps_at, limit = item.get("wraps_at"), item.get("limit_watts")
    if not all(number is None or (is_number(number) and number > 0) for number in (wraps_at, limit)):
        return None
    counters, nodes = item.get("counters", 1), item.get("nodes", 1)
    if not all(type(count) is int and 0 < count <= MOST_COUNTERS for count in (counters, nodes)) or counters % nodes:
        return None
    return Source(node, source, scope, device, wraps_at, limit, counters, nodes)


def _reading(event: Event, number: int) -> Reading | None:
    value = event.value if type(event.value) is dict else {}
    times: Any = value.get("time_ms")
    joules: Any = value.get("joules")
    earliest: Any = value.get("earliest_ms", times)
    if not all(type(numbers) is list and len(numbers) == number for numbers in (times, earliest, joules)):
        return None
    if not all(type(time) is int and 0 <= time < 1 << 53 for time in (*times, *earliest)):
        return None
    if not all(count is None or (is_number(count) and 0 <= count < 1e18) for count in joules):
        return None
    moment, gap = metadata(event, "moment"), metadata(event, "gap_seconds")
    if type(moment) is not str or moment not in MOMENTS or not is_number(gap) or gap < 0:
        return None
    return Reading(event.line, moment, epoch_of(event), times, joules, float(gap), earliest)


def edges(log: Log) -> Iterator[Event]:
    """Yield the events of a run that need a reading."""
    stop = log.first("run_stop")
    for moment in MOMENTS:
        for event in log.all(moment):
            if stop is None or event.line <= stop.line:
                yield event


def energy_of(log: Log, time: Timeline) -> Energy | None:
    """Return the energy of a run by its counters; None if one of them has no reading at an end of the run."""
    live = live_of(log)
    if live.faults or not live.sources or time.passing is None:
        return None
    at = {(reading.moment, reading.epoch): reading.joules for reading in live.readings}
    whole = between(at, [(("run_start", None), ("run_stop", None))])
    if whole is None:
        return None
    epochs = [epoch for moment, epoch in at if moment == "epoch_start"]
    parts = (between(at, [((f"{k}_start", e), (f"{k}_stop", e)) for e in epochs]) for k in ("epoch", "eval"))
    return Energy(REHEARSAL if live.rehearsal else tier_of(live.sources), whole, *parts)


def between(at: Mapping[Moment, list[float | None]], spans: Iterable[tuple[Moment, Moment]]) -> float | None:
    """Return the joules of all counters together, summed over spans of (start, stop); None if a reading is missing."""
    joules = 0.0
    for start, stop in spans:
        first, last = at.get(start), at.get(stop)
        if first is None or last is None or None in first or None in last:
            return None
        joules += total(filter(None, last)) - total(filter(None, first))
    return joules


def tier_of(sources: Iterable[Source]) -> str:
    """Return whether counters are of whole nodes or of components; "" for both."""
    scopes = {source.scope == NODE for source in sources}
    return "" if len(scopes) > 1 else NODE if True in scopes else COMPONENT


def coverage_of(log: Log) -> Coverage | None:
    """Return the part of the machine that has counters; None for a log without counters."""
    live = live_of(log)
    if live.faults or not live.sources:
        return None
    nodes = {source.node: source.nodes for source in live.sources}
    counts: Counter[tuple[str, str]] = Counter()
    for source in live.sources:
        counts[source.node, source.scope] += source.counters // source.nodes
    packages, devices = (min(counts[node, scope] for node in nodes) for scope in ("package", "device"))
    failed = sum(joules is None for joules in live.readings[-1].joules) if live.readings else len(live.sources)
    return Coverage(live.line, tier_of(live.sources), sum(nodes.values()), packages, devices, failed)


def shortfall(
    coverage: Coverage, nodes: int | None, packages: int | None, devices: int | None
) -> tuple[str, str] | None:
    """Return (found, wanted) if the counters left out a part of the machine, else None.

    The machine has so many nodes, and so many processors (`packages`) and accelerators (`devices`) a node. None means
    unknown; a node has at least one processor.
    """
    if coverage.failed:
        return f"{counted(coverage.failed, 'counter')} that could not be read to the end", "none"
    if not coverage.tier:
        return "nodes measured as a whole, and others by their components", "the same on every node"
    if nodes is not None and coverage.nodes < nodes:
        return f"counters of {counted(coverage.nodes, 'node')}", f"counters of {nodes}"
    for name, found, wanted in (
        ("processor", coverage.packages, packages or 1),
        ("accelerator", coverage.devices, devices),
    ):
        if coverage.tier == COMPONENT and wanted is not None and found < wanted:
            return f"counters of {counted(found, name)} a node", f"counters of {wanted}"
    return None
