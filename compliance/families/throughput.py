"""THR: throughput sets (many instances of one training at once on one system), and throughput-only logs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from operator import itemgetter

from benchmark.log import Event
from benchmark.tree import THROUGHPUT
from compliance.finding import Fault, show
from compliance.reading.devices import CPU, groups_of
from compliance.reading.files import number_of
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata, seconds_between
from compliance.reading.values import is_number
from compliance.rule import RUNS, STEPS, rule
from rules.limits import Clock

CLOSE = 1e-6  # relative tolerance of figures that follow from others


@rule("THR01", "set", after=("THR02",))
def instances_fit_into_the_system(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    total = _total(place)
    if place.runs.scaling != "weak" or total is None:
        return
    most = number_of(place.described.get("accelerators_per_node"))
    used, hosts, accelerators = 0.0, Counter[str](), Counter[str]()
    timed = [(run.window, run) for run in runs if run.window and run.window[0] < run.window[1] and _nodes(run)]
    for _, sign, run in changes(timed):
        groups = groups_of(run.value("devices")) or []
        for host in {group.host for group in groups}:  # a host that instances share is one node
            count(hosts, host, sign)
        for group in groups:
            count(accelerators, group.host, sign * group.ranks * (group.kind != CPU))
        used += 0 if groups else sign * (_nodes(run) or 0)
        if (nodes := used + len(hosts)) > total:
            line = run.line("number_of_nodes")
            found = f"{nodes:g} nodes at once with this instance"
            yield Fault(line, found, f"at most {total:g}, as described", path=run.path)
            return
        crowded = [g.host for g in groups if most is not None and accelerators[g.host] > most]
        if crowded:
            found = f"{accelerators[crowded[0]]} accelerators of {show(crowded[0])} at once with this instance"
            yield Fault(run.line("devices"), found, f"at most {most:g}, as described", path=run.path)
            return


def count(held: Counter[str], name: str, by: int) -> None:
    """Add to the count of a name. One of 0 is left out, so that as many are held as are in use."""
    held[name] += by
    if not held[name]:
        del held[name]


def changes(timed: Sequence[tuple[tuple[float, float], Run]]) -> list[tuple[float, int, Run]]:
    """Return (time, 1 or -1, run) of each start and stop of runs with their windows, in the order of time. A stop comes
    before a start at the same time, so that its nodes are free."""
    ends = [(at, sign, run) for window, run in timed for at, sign in zip(window, (1, -1), strict=True)]
    return sorted(ends, key=lambda end: end[:2])


@rule("THR02", "set", after=("RUN07",))
def instances_say_their_scale(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.runs.scaling != "weak":
        return
    total = _total(place)
    for run in runs:
        nodes = run.value("number_of_nodes")
        line = run.line("number_of_nodes")
        if (not is_number(nodes) or nodes < 1) and line not in run.lines:
            yield Fault(line, f"number_of_nodes {show(nodes)}", "a number from 1 on", path=run.path)
    scales = {_nodes(run) for run in runs}
    if terms.edition.limits.system_nodes_logged and len(runs) > 1 and total is not None and scales == {total}:
        yield Fault(1, f"number_of_nodes {total:g}, the whole system's, in every instance", "the instance's own")


@rule("THR05", "set", after=("THR01", "THR02"))
def instances_run_at_once(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    timed = sorted(((run.window, run.path, run) for run in runs if run.window), key=itemgetter(0, 1))
    if place.runs.scaling != "weak" or len(timed) < max(2, len(runs)):  # one without a stop may have shared any time
        return
    alone, latest = [], 0  # the latest stop of those that started before
    for ((start, stop), _, run), after in zip_longest(timed, timed[1:]):
        if start >= latest and (after is None or after[0][0] >= stop):
            alone.append(run)
        latest = max(latest, stop)
    if alone:
        severity = "review" if len(alone) < len(timed) else ""
        found = f"{len(alone)} of {len(timed)} such instances, of which this one ran first"
        wanted = "others at the same time as each"
        line = alone[0].start.line if alone[0].start else 1
        yield Fault(line, found, wanted, path=alone[0].path, severity=severity)


@rule("THR03", "set", runs="sound", on=RUNS | STEPS)
def throughput_logs_are_no_runs(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run in runs:
        if run.throughput_only != terms.throughput_only:
            found = "a throughput-only log among runs" if run.throughput_only else "a run among throughput-only logs"
            wanted = f"it in {THROUGHPUT}/<benchmark>" if run.throughput_only else "it in strong or weak"
            yield Fault(run.line("throughput_only"), found, wanted, path=run.path)


@rule("THR04", "log", after=("CLK04",), reads=("throughput", "tracked_stats"), on=RUNS | STEPS)
def figures_follow_from_counts(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    total, blocks = log.first("throughput"), log.all("tracked_stats")
    if not terms.throughput_only or total is None:
        return
    faults = [fault for event in (*blocks, total) if (fault := rate_fault(event, "step_seconds"))]
    yield from faults
    if faults:
        return
    before, limits = time.start, terms.edition.limits.clock
    for block in blocks:
        had = seconds_between(before, block) or 0.0
        alone = before is not time.start  # staging and steps that do not count come before the first
        said = _counts(block)["seconds of steps"]
        if bound := off_the_clock(said, had, limits, alone):
            yield Fault(block.line, f"{said:.3f} s of steps in {had:.3f} s on the clock", bound)
        before = block
    parts = [_counts(block) for block in blocks]
    for name, found in _counts(total).items():
        wanted = sum(part[name] for part in parts)
        if abs(found - wanted) > CLOSE * wanted:
            yield Fault(total.line, f"{found:g} {name} in all", f"{wanted:g}, as in its blocks together")


def off_the_clock(said: float, had: float, limits: Clock, alone: bool) -> str:
    """Return what is wanted instead of the `said` seconds of a block or a pass, which had so many on the clock; "" if
    they fit. `alone`: nothing else of length was done in that time."""
    if said > had * (1 + limits.slack) + limits.slack_seconds:
        return f"at most {had:.3f} s"
    least = had * limits.measured_share - limits.paused_seconds
    return f"at least {least:.3f} s" if alone and said < least else ""


def rate_fault(event: Event, time: str) -> Fault | None:
    """Return a fault if the samples a second of a block, a pass or a total don't follow from its counts. `time` is the
    field with its time: `seconds`, or `step_seconds` for the mean of a step."""
    value = event.value if type(event.value) is dict else {}
    numbers = {name: metadata(event, name) for name in ("steps", "samples_count")}
    numbers |= {name: value.get(name) for name in (time, "throughput")}
    for name, number in numbers.items():
        if not is_number(number) or number <= 0:
            return Fault(event.line, f"{name} {show(number)}", "a number above 0")
    seconds = numbers[time] * (numbers["steps"] if time == "step_seconds" else 1)
    wanted = numbers["samples_count"] / seconds
    if abs(numbers["throughput"] - wanted) > CLOSE * wanted:
        return Fault(event.line, f"throughput {numbers['throughput']:g}", f"{wanted:g}, as its counts give")
    return None


def _counts(event: Event) -> dict[str, float]:
    """Return the steps of a block or of all blocks, with their samples and seconds."""
    steps, samples = (float(metadata(event, name)) for name in ("steps", "samples_count"))
    return {"steps": steps, "samples_count": samples, "seconds of steps": steps * float(event.value["step_seconds"])}


def _total(place: SetPlace) -> float | None:
    """Return the number of nodes of the described system, None if there is none."""
    return number_of(place.described.get("number_of_nodes"))


def _nodes(run: Run) -> float | None:
    """Return the number of nodes that an instance logs, None without one."""
    nodes = run.value("number_of_nodes")
    return nodes if is_number(nodes) and nodes > 0 else None
