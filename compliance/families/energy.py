"""ENE: energy that runs read from counters of their machine. The rules on power meters beside the runs are PWR."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from benchmark.energy.counter import COUNTS
from benchmark.energy.entry import READING
from compliance.finding import Fault, show
from compliance.reading.devices import NUMBER, groups_of
from compliance.reading.energy import INSIDE, UNSOUND, Live, Moment, Reading, Source, edges, live_of, shortfall
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of
from compliance.reading.values import count_of, is_number
from compliance.rule import rule
from rules.energy import Energy


@rule("ENE01", "log", after=("CLK01",), reads=("energy_sources", "energy_reading"))
def readings_have_their_form(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for line, found, wanted in live_of(log).faults:
        yield Fault(line, found, wanted)


@rule("ENE02", "log", after=("ENE01",))
def joules_never_fall(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live = live_of(log)
    yield from filter(None, (_falls(live, at, source) for at, source in enumerate(live.sources)))


@rule("ENE03", "log", after=("ENE01", "CLK04", "CLK10"))
def readings_have_no_holes(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live, limits = live_of(log), terms.edition.limits.energy
    if limits is None or not live.sources or time.passing is None:
        return
    readings: dict[Moment, Reading] = {}
    for reading in live.readings:
        if readings.setdefault((reading.moment, reading.epoch), reading) is not reading:
            yield Fault(reading.line, f"another reading at {_moment(reading)}", "one")
            return
    for event in edges(log):
        of_run = event.key.startswith(("run_", "staging_"))
        own = readings.pop((event.key, None if of_run else epoch_of(event)), None)
        if own is None:
            yield Fault(event.line, f"no {READING} at {event.key}", "one")
            return
        at = event.time_ms if is_number(event.time_ms) else math.nan  # CLK05 names it, and a waiver may cover that
        away = max(abs(ms - at) for ms in (*own.times, *own.earliest)) / 1000
        if away > limits.edge:
            yield Fault(own.line, f"{away:.3f} s from {event.key} in line {event.line}", f"at most {limits.edge:g} s")
            return
    for reading in readings.values():
        yield Fault(reading.line, f"a reading at {_moment(reading)}", "readings at starts and stops of the run alone")
        return


@rule("ENE04", "log", after=("ENE02", "ENE03"))
def power_is_what_machines_draw(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live, limits = live_of(log), terms.edition.limits.energy
    if limits is None or not live.readings or time.passing is None:
        return
    first, last = live.readings[0], live.readings[-1]
    for at, source in enumerate(live.sources):
        seconds = (last.times[at] - first.times[at]) / 1000
        before, after = first.joules[at], last.joules[at]
        if before is None or after is None or seconds <= 0:
            continue
        watts = (after - before) / seconds / source.counters
        most = limits.excess * _watts(source, limits)
        if not 0 < watts <= most:
            yield Fault(last.line, f"{watts:.6g} W of {_named(source)}", f"above 0, at most {most:.6g} W")


@rule("ENE05", "set", severity="warning", after=UNSOUND, reads=("number_of_nodes", "accelerators_per_node"))
def all_of_the_machine_is_measured(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run in runs:
        if run.coverage and run.converged:
            counts = (run.value("number_of_nodes"), place.described.get("host_processors_per_node"))
            missing = shortfall(run.coverage, *map(count_of, (*counts, run.value("accelerators_per_node"))))
            if missing:
                yield Fault(run.coverage.line, *missing, path=run.path)


@rule("ENE06", "log", after=("ENE01",))
def nothing_is_counted_twice(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live = live_of(log)
    of = Counter(source[:1] + source[2:4] for source in live.sources)
    for node, scope, device in (named for named, times in of.items() if times > 1):
        yield Fault(live.line, f"{of[node, scope, device]} counters of {show(f'{node}: {scope} {device}')}", "one")
    scopes: dict[str, set[str]] = {}
    for source in live.sources:
        scopes.setdefault(source.node, set()).add(source.scope)
    for node, found in scopes.items():
        twice = [(outer, inner) for outer in INSIDE for inner in INSIDE[outer] if {outer, inner} <= found]
        for outer, inner in twice[:1]:
            both = f"counters of {show(node)}: of the {outer}, and of a {inner} in it"
            yield Fault(live.line, both, "one of the two")


@rule("ENE07", "log", after=("ENE01",))
def no_wrap_is_missed(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live, limits = live_of(log), terms.edition.limits.energy
    if limits is None or not live.readings:
        return
    gap, line = max((reading.gap, reading.line) for reading in live.readings)
    for source in live.sources:
        if source.wraps_at is not None:
            soonest = source.wraps_at / (limits.excess * _watts(source, limits))
            if gap >= soonest:
                yield Fault(line, f"{gap:.3f} s between readings of {_named(source)}", f"less than {soonest:.3f} s")


@rule("ENE08", "log", after=("ENE01",))
def energy_is_no_rehearsal(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live = live_of(log)
    if live.rehearsal:
        yield Fault(live.line, "an event energy_sources that says rehearsal", "counters of the machine")


@rule("ENE09", "log", after=("ENE01", "SYS10"))
def counters_are_of_what_computes(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live, groups = live_of(log), groups_of(log.value("devices"))
    if groups is None:
        return
    hosts = {group.host for group in groups}
    uuids = {(group.host, uuid.removeprefix("GPU-")) for group in groups for uuid in group.uuids}
    counted = {group.host for group in groups if group.distinct}  # they are not told one by one
    for source in live.sources:
        if source.node not in hosts and not any(map(NUMBER.fullmatch, hosts)):
            yield Fault(live.line, f"a counter of the node {show(source.node)}", "one of a node on which ranks run")
        elif source.source == "nvml" and source.node not in counted and (source.node, source.device) not in uuids:
            yield Fault(live.line, f"a counter of {_named(source)}", "one of an accelerator that a rank names")


@rule("ENE10", "log", severity="review", after=("ENE01",))
def counters_are_known(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    live = live_of(log)
    strange = sorted({source.source for source in live.sources if source.source not in COUNTS})
    if strange:
        yield Fault(live.line, show(", ".join(strange)), f"{', '.join(sorted(COUNTS))}, or what it is")


def _falls(live: Live, at: int, source: Source) -> Fault | None:
    """Return the first fault in a counter's readings, None if there is none."""
    numbers = [(reading.line, reading.times[at], reading.joules[at]) for reading in live.readings]
    if numbers and numbers[0][2] not in (0, None):
        return Fault(numbers[0][0], f"{numbers[0][2]:.6g} J of {_named(source)} at first", "0")
    for (_, before, less), (line, after, more) in pairwise(numbers):
        if after < before:
            return Fault(line, f"{_named(source)} read at {after} after {before}", "times that never run back")
        if less is None and more is not None:
            return Fault(line, f"{more:.6g} J of {_named(source)} after null", "null")
        if less is not None and more is not None and more < less:
            return Fault(line, f"{more:.6g} J of {_named(source)} after {less:.6g}", "joules that never fall")
    return None


def _watts(source: Source, limits: Energy) -> float:
    """Return the most watts that a counter may measure: its device's limit, at most that of its scope."""
    most = limits.watts[source.scope]
    return most if source.limit is None else min(source.limit, most)


def _moment(reading: Reading) -> str:
    return reading.moment if reading.epoch is None else f"{reading.moment} of epoch {show(reading.epoch)}"


def _named(source: Source) -> str:
    alike = f", each of {source.counters}" if source.counters > 1 else ""
    return show(f"{source.node}: {source.scope} {source.device}{alike}")
