"""CLK: one wall clock, from run_start to run_stop."""

import datetime
import functools
import itertools
from collections.abc import Iterator

from benchmark.log import Event
from compliance.checks.log import WHOLE
from compliance.finding import Fault, show
from compliance.rule import rule
from compliance.run import Law, Run, is_number
from compliance.timeline import Timeline, epoch_of, field

MILESTONES = ("init_start", "init_stop", "run_start", "run_stop")
OF_THE_RUN = ("epoch_start", "epoch_stop", "block_start", "block_stop", "eval_start", "eval_stop")
PAIRS = {"epoch_start": "epoch_stop", "eval_start": "eval_stop", "staging_start": "staging_stop"}


@rule("CLK01", "log", after=WHOLE)
def milestones_are_single(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """One run_start, one run_stop and one init_stop, counted even when equal"""
    for name in ("init_stop", "run_start", "run_stop"):
        events = run.all(name)
        if not events:
            yield Fault(1, f"no {name}", "one", f"The log has no {name}")
        elif len(events) > 1 and _one_of_many_ranks(events, law):
            yield Fault(events[1].line, f"{len(events)} {name} at once", "one", severity="warning")
        else:
            for event in events[1:]:
                yield Fault(event.line, f"another {name}", f"one, as in line {events[0].line}")


@rule("CLK02", "log", after=(*WHOLE, "CLK01"))
def milestones_are_in_order(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """init_start, init_stop, run_start, run_stop come in this order, line by line"""
    events = [e for name in MILESTONES if (e := run.first(name))]
    for before, after in itertools.pairwise(events):
        if after.line < before.line:
            yield Fault(after.line, f"{after.key} before {before.key} of line {before.line}", ", ".join(MILESTONES))


@rule("CLK03", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK05"))
def runs_take_time(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """A run takes time: run_stop is later than run_start"""
    if time.seconds is not None and time.seconds <= 0:
        yield Fault(time.stop.line, f"{time.seconds:.3f} s", "more than 0 s")


@rule("CLK04", "log", after=("CLK03", "CLK05", "EVL06", "CLK08"))
def time_never_runs_back(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Time never runs back from one event to the next"""
    limits = law.edition.limits.clock
    worst = [b for b in run.back if b[1] > limits.back_warn_ms]
    if worst:
        line, back, key = worst[0]
        yield Fault(line, f"{key} {back} ms before an earlier event", f"at most {limits.back_warn_ms} ms")
    elif mild := [b for b in run.back if b[1] > limits.back_ms]:
        line, back, key = max(mild, key=lambda b: b[1])
        yield Fault(line, f"{key} {back} ms before an earlier event", "none earlier", severity="warning")


@rule("CLK05", "log", after=("LOG02",))
def times_are_of_this_round(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Times are whole milliseconds within the days of the edition"""
    limits = law.edition.limits.clock
    for event in run.not_time:
        yield Fault(event.line, f"time_ms {show(event.time_ms)}", "an integer: milliseconds since 1970")
    event = time.start or next((e[0] for e in run.events.values()), None)
    low, high = _milliseconds(limits.not_before), _milliseconds(limits.not_after)
    if event and type(event.time_ms) is int and not low <= event.time_ms <= high:
        wanted = f"{limits.not_before} to {limits.not_after}"
        yield Fault(event.line, f"{event.key} at {_date(event.time_ms)}", wanted)


@rule("CLK06", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK04", "CLK05"))
def clock_starts_at_once(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """No gap between init_stop and run_start"""
    gap = _seconds(run.first("init_stop"), time.start)
    if gap is not None and gap > law.edition.limits.clock.gap:
        yield Fault(time.start.line, f"{gap:.3f} s", f"at most {law.edition.limits.clock.gap:g} s")


@rule("CLK07", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK05"))
def initialisation_is_limited(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Initialisation, init_start to init_stop, keeps within its limit"""
    stop = run.first("init_stop")
    seconds = _seconds(run.first("init_start"), stop)
    if seconds is not None and seconds >= law.edition.limits.clock.init:
        yield Fault(stop.line, f"{seconds:.0f} s", f"less than {law.edition.limits.clock.init:g} s")


@rule("CLK08", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK03", "EVL06"))
def nothing_comes_after_run_stop(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """No epoch and no evaluation comes after run_stop"""
    for name in (*OF_THE_RUN, law.metric):
        for event in reversed(run.all(name)):
            if event.line <= time.stop.line and not _later(event, time.stop):
                break
            says = "later" if event.line <= time.stop.line else "after it"
            # Instances that share a log go on after one of them has stopped; what comes late doesn't count anyhow.
            mild = "warning" if law.edition.limits.many_ranks and time.passing else ""
            found = f"{name} in line {event.line}, {says}"
            yield Fault(time.stop.line, found, "run_stop behind the run's last event", severity=mild)
            return


@rule(
    "CLK09",
    "log",
    after=(*WHOLE, "CLK01", "CLK02", "CLK03", "CLK04", "EVL05", "EVL06", "EVL09", "EVL12", "EVL13", "DATA03"),
)
def run_stop_follows_at_once(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """run_stop follows the evaluation that met the target at once"""
    delay = _seconds(time.passing.event, time.stop) if time.passing else None
    if delay is not None and delay > law.edition.limits.clock.stop_delay:
        yield Fault(time.stop.line, f"{delay:.3f} s later", f"at most {law.edition.limits.clock.stop_delay:g} s")


@rule("CLK10", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK08", "EVL06", "EVL02", "EVL03", "LOG10"))
def intervals_are_balanced(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Starts and stops of epochs, evaluations and staging are balanced and nested"""
    names = [n for pair in PAIRS.items() for n in pair]
    if law.edition.limits.many_ranks:
        yield from _counted(run)
        return
    open_: dict[str, Event] = {}
    for event in sorted((e for n in names for e in run.all(n)), key=lambda e: e.line):
        if event.key in PAIRS:
            if event.key in open_:
                yield Fault(open_[event.key].line, f"no {PAIRS[event.key]} before line {event.line}", "one")
            open_[event.key] = event
        else:
            start = event.key.replace("_stop", "_start")
            before = open_.pop(start, None)
            if before is None or epoch_of(before) != epoch_of(event):
                yield Fault(event.line, f"{event.key} of epoch {show(epoch_of(event))}", f"its {start} before it")
    for event in open_.values():
        aborted = time.stop and field(time.stop, "status") == "aborted"
        if not (aborted and event.line < time.stop.line):
            yield Fault(event.line, f"no {PAIRS[event.key]} for this {event.key}", "one")


@rule("CLK11", "log", after=(*WHOLE, "CLK01", "CLK02"))
def staging_is_inside_the_clock(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Staging of data is inside the clock"""
    for event in run.all("staging_start") + run.all("staging_stop"):
        early = _later(time.start, event) and not law.edition.limits.many_ranks  # whose clocks differ a little
        if event.line < time.start.line or early:
            yield Fault(event.line, f"{event.key} before run_start of line {time.start.line}", "after it")
            return


@rule("CLK12", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK03", "CLK04", "CLK05", "CLK10", "LOG10"))
def figures_agree_with_the_clock(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """An epoch's throughput and seconds fit into its time on the clock"""
    limits = law.edition.limits.clock
    starts = {epoch_of(e): e for e in run.all("epoch_start")}
    stops = {epoch_of(e): e for e in run.all("epoch_stop")}
    for event in run.all("tracked_stats"):
        epoch = epoch_of(event)
        start, stop = starts.get(epoch), stops.get(epoch)
        seconds = _seconds(start, stop)
        if seconds is None or type(event.value) is not dict:
            continue
        told = _told(event, stop)
        if told > seconds * (1 + limits.slack) + limits.slack_seconds:
            says = "An epoch's own figures take longer than its time on the clock"
            yield Fault(event.line, f"{told:.3f} s of work in epoch {epoch}", f"at most its {seconds:.3f} s", says)
            return


@rule("CLK13", "log", after=(*WHOLE, "CLK01", "CLK02", "CLK03", "CLK05"))
def duration_is_plausible(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The run's duration is plausible"""
    limits = law.edition.limits.clock
    shortest = limits.shortest_run if time.passing else 0  # a run may be aborted at once
    if time.seconds is not None and not shortest <= time.seconds <= limits.longest_run:
        yield Fault(time.stop.line, f"{time.seconds:.3f} s", f"{shortest:g} to {limits.longest_run:g} s")


def _counted(run: Run) -> Iterator[Fault]:
    for start, stop in PAIRS.items():
        starts, stops = len(run.all(start)), len(run.all(stop))
        if starts != stops:
            line = run.line(start) if starts else run.line(stop)
            yield Fault(line, f"{starts} {start}, {stops} {stop}", "as many of each", severity="warning")


def _told(event: Event, stop: Event) -> float:
    """Seconds of work that an epoch's statistics speak of; 0 where they speak of none."""
    stats = event.value
    parts = [v for v in (stats.get("wait_seconds"), stats.get("compute_seconds")) if is_number(v) and v > 0]
    rate, samples = stats.get("throughput"), field(stop, "samples_count")
    implied = samples / rate if is_number(rate) and rate > 0 and is_number(samples) else 0.0
    return max(sum(parts), implied)


def _one_of_many_ranks(events: list[Event], law: Law) -> bool:
    limits = law.edition.limits
    times = [e.time_ms for e in events]
    if not limits.many_ranks or not all(is_number(t) for t in times):
        return False
    same = all(e.value == events[0].value for e in events)
    return same and max(times) - min(times) <= limits.rank_spread * 1000


def _seconds(start: Event | None, stop: Event | None) -> float | None:
    if start is None or stop is None or not is_number(start.time_ms) or not is_number(stop.time_ms):
        return None
    return (stop.time_ms - start.time_ms) / 1000


def _later(event: Event, than: Event) -> bool:
    return is_number(event.time_ms) and is_number(than.time_ms) and event.time_ms > than.time_ms


@functools.lru_cache
def _milliseconds(date: str) -> int:
    return int(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.UTC).timestamp() * 1000)


def _date(time_ms: int) -> str:
    try:
        return datetime.datetime.fromtimestamp(time_ms / 1000, datetime.UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return show(time_ms)
