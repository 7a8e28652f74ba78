"""CLK: one wall clock, from run_start to run_stop, that keeps one pace."""

import datetime
import functools
import itertools
import operator
import statistics
import time as clock
from collections.abc import Iterator

from benchmark.log import Event
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata, seconds_between
from compliance.reading.values import is_number
from compliance.rule import EVERY, rule

TIME = operator.attrgetter("time_ms")
LISTED = 1000  # quantiles that are read
MILESTONES = ("init_start", "init_stop", "run_start", "run_stop")
OF_THE_RUN = ("epoch_start", "epoch_stop", "block_start", "block_stop", "eval_start", "eval_stop")
PAIRS = {"epoch_start": "epoch_stop", "eval_start": "eval_stop", "staging_start": "staging_stop"}
EDGES = ("epoch_start", "epoch_stop", "eval_start", "eval_stop")


@rule("CLK01", "log", after=("LOG03", "RUN10"), reads=("init_stop", "run_start", "run_stop"), on=EVERY)
def milestones_are_single(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name in ("init_stop", "run_start", "run_stop"):
        events = log.all(name)
        if not events:
            end = f"; the log ends in line {log.last_line}" if name == "run_stop" else ""
            yield Fault(1, f"no {name}", f"one{end}", f"The log has no {name}")
        else:
            for event in events[1:]:
                yield Fault(event.line, f"another {name}", f"only that of line {events[0].line}")


@rule("CLK02", "log", after=("CLK01",), on=EVERY)
def milestones_are_in_order(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    events = [e for name in MILESTONES if (e := log.first(name))]
    for before, after in itertools.pairwise(events):
        if after.line < before.line:
            yield Fault(after.line, f"{after.key} before {before.key} of line {before.line}", ", ".join(MILESTONES))


@rule("CLK03", "log", after=("CLK02", "CLK05"), on=EVERY)
def runs_take_time(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.stop and time.seconds is not None and time.seconds <= 0:
        yield Fault(time.stop.line, f"{time.seconds:.3f} s", "more than 0 s")


@rule("CLK04", "log", after=("CLK08",), on=EVERY)
def time_never_runs_back(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    for line, back, key in sorted(log.back, key=operator.itemgetter(1), reverse=True)[:1]:
        if back > limits.back_ms:
            mild = "" if back > limits.back_warn_ms else "warning"
            found = f"{key} {back} ms earlier than {_latest_before(log, line, back)}"
            yield Fault(line, found, f"at most {limits.back_ms} ms earlier", severity=mild)
        elif log.back_ms > limits.back_ms and not terms.edition.limits.many_ranks:
            found = f"{key} and others earlier, by {log.back_ms} ms in all"
            wanted = f"at most {limits.back_ms} ms in all"
            yield Fault(line, found, wanted, "Time runs back again and again", severity="review")


def _latest_before(log: Log, line: int, back: int) -> str:
    """Return in words the event than which that of a line is `back` milliseconds earlier."""
    timed = list(_timed(log))
    time = next((e.time_ms + back for e in timed if e.line == line), None)
    late = next((e for e in timed if e.line < line and e.time_ms == time), None)
    return f"{late.key} of line {late.line}" if late else "an event before it"


@rule("CLK05", "log", after=("LOG02",), on=EVERY)
def times_are_of_this_round(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    for event in log.not_time:
        yield Fault(event.line, f"time_ms {show(event.time_ms)}", "an integer: milliseconds since 1970")
    low, high = _milliseconds(limits.not_before), _milliseconds(limits.not_after)
    timed = list(_timed(log))
    for event in (min(timed, key=TIME), max(timed, key=TIME)) if timed else ():
        if not low <= event.time_ms <= high:
            wanted = f"{limits.not_before} to {limits.not_after}"
            yield Fault(event.line, f"{event.key} at {date_of(event.time_ms)}", wanted)
            return


@rule("CLK06", "log", after=("CLK04",), on=EVERY)
def clock_starts_at_once(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    gap = seconds_between(log.first("init_stop"), time.start)
    if time.start and gap is not None and gap > terms.edition.limits.clock.gap:
        yield Fault(time.start.line, f"{gap:.3f} s", f"at most {terms.edition.limits.clock.gap:g} s")


@rule("CLK07", "log", after=("CLK02", "CLK05"), on=EVERY)
def initialisation_is_limited(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    stop = log.first("init_stop")
    seconds = _initialised(log, stop, terms)
    if stop and seconds is not None and seconds >= terms.edition.limits.clock.init:
        yield Fault(stop.line, f"{seconds:.0f} s", f"less than {terms.edition.limits.clock.init:g} s")


def _initialised(log: Log, stop: Event | None, terms: Terms) -> float | None:
    """Return the seconds of the initialisation. Where one process logs all, its first event may be before init_start,
    and counts."""
    start = log.first("init_start")
    if start is None or stop is None or terms.edition.limits.many_ranks:
        return seconds_between(start, stop)
    return seconds_between(min(_timed(log), key=TIME, default=start), stop)


@rule("CLK08", "log", after=("EVL06",))
def nothing_comes_after_run_stop(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.stop is None:
        return
    for name in (*OF_THE_RUN, terms.metric):
        for event in reversed(log.all(name)):
            if event.line <= time.stop.line and not _later(event, time.stop):
                break
            how = " by its time" if event.line <= time.stop.line else ""
            # Instances that share a log continue after one of them has stopped; late scores don't count in any case.
            mild = "warning" if terms.edition.limits.tolerant and time.passing else ""
            found = f"{name} in line {event.line}, after run_stop{how}"
            yield Fault(time.stop.line, found, "run_stop as the last of these events", severity=mild)
            return


@rule("CLK21", "log", after=("CLK02",))
def nothing_comes_before_run_start(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    events = [e for name in (*OF_THE_RUN, terms.metric) for e in log.all(name)]
    first = min(events, key=lambda e: e.line, default=None)
    if time.start and first and first.line < time.start.line:
        found = f"run_start after {first.key} of line {first.line}"
        yield Fault(time.start.line, found, "run_start before all epochs and evaluations")


@rule("CLK09", "log", after=("CLK04", "EVL09"))
def run_stop_follows_at_once(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    delay = seconds_between(time.passing.event, time.stop) if time.passing else None
    if time.stop and delay is not None and delay > terms.edition.limits.clock.stop_delay:
        found = f"run_stop {delay:.3f} s after that evaluation"
        yield Fault(time.stop.line, found, f"at most {terms.edition.limits.clock.stop_delay:g} s")


@rule("CLK10", "log", after=("EVL03",))
def intervals_are_balanced(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.edition.limits.tolerant:
        yield from _counted(log)
        return
    names = [n for pair in PAIRS.items() for n in pair]
    open_: dict[str, Event] = {}
    for event in sorted((e for n in names for e in log.all(n)), key=lambda e: e.line):
        if event.key in PAIRS:
            if event.key in open_:
                found = f"no {PAIRS[event.key]} before the {event.key} of line {event.line}"
                yield Fault(open_[event.key].line, found, "one")
            open_[event.key] = event
        else:
            start = event.key.replace("_stop", "_start")
            before = open_.pop(start, None)
            if before is None or epoch_of(before) != epoch_of(event):
                yield Fault(event.line, f"{event.key} of epoch {show(epoch_of(event))}", f"its {start} before it")
    aborted = time.stop if time.stop and metadata(time.stop, "status") == "aborted" else None
    for event in open_.values():
        if not (aborted and event.line < aborted.line):
            yield Fault(event.line, f"no {PAIRS[event.key]} for this {event.key}", "one")


@rule("CLK11", "log", after=("CLK02",))
def staging_is_inside_the_clock(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if time.start is None:
        return
    for event in log.all("staging_start") + log.all("staging_stop"):
        early = _later(time.start, event) and not terms.edition.limits.many_ranks  # whose clocks differ a little
        if event.line < time.start.line or early:
            yield Fault(event.line, f"{event.key} before run_start of line {time.start.line}", "after it")
            return


@rule("CLK13", "log", after=("CLK03",), on=EVERY)
def duration_is_plausible(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    shortest = limits.shortest_run if time.passing else 0  # a run may be aborted at once
    if time.stop and time.seconds is not None and not shortest <= time.seconds <= limits.longest_run:
        yield Fault(time.stop.line, f"{time.seconds:.3f} s", f"{shortest:.15g} to {limits.longest_run:.15g} s")


def _counted(log: Log) -> Iterator[Fault]:
    for start, stop in PAIRS.items():
        starts, stops = len(log.all(start)), len(log.all(stop))
        if starts != stops:
            line = log.line(start) if starts else log.line(stop)
            yield Fault(line, f"{starts} {start}, {stops} {stop}", "as many of each")


def _timed(log: Log) -> Iterator[Event]:
    """Yield the events that are kept, and have a time."""
    return (e for events in log.events.values() for e in events if type(e.time_ms) is int)


def _later(event: Event, than: Event) -> bool:
    return is_number(event.time_ms) and is_number(than.time_ms) and event.time_ms > than.time_ms


@functools.lru_cache
def _milliseconds(date: str) -> int:
    return int(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.UTC).timestamp() * 1000)


def date_of(time_ms: int) -> str:
    try:
        return datetime.datetime.fromtimestamp(time_ms / 1000, datetime.UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return show(time_ms)


@rule("CLK20", "log", after=("CLK04", "CLK10", "CLK13", "DATA06", "LOG13"))
def figures_are_those_of_the_clock(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    stats = {epoch_of(e): e for e in log.all("tracked_stats")}
    for start, stop in _epochs(log):
        event, seconds = stats.get(epoch_of(stop)), seconds_between(start, stop)
        if event is None or seconds is None or type(event.value) is not dict:
            continue
        for name, told in _figures(event, stop):
            most = seconds * (1 + limits.excess) + limits.slack_seconds
            least = seconds * (1 - limits.slack) - limits.paused_seconds
            if not least <= told <= most:
                found = f"{told:.3f} s by {name} in epoch {show(epoch_of(stop))}"
                yield Fault(event.line, found, f"the {seconds:.3f} s from epoch_start to epoch_stop")
                return
        fewest, computed = _least_of_steps(log, event, stop), event.value.get("compute_seconds")
        if fewest is not None and is_number(computed) and computed < fewest * (1 - limits.excess):
            found = f"{computed:.3f} s by compute_seconds in epoch {show(epoch_of(stop))}"
            says = "An epoch computed for less time than its steps together"
            yield Fault(event.line, found, f"{fewest:.3f} s or more, by step_compute_seconds", says)
            return


@rule("CLK15", "log", after=("CLK10", "CLK04"))
def epochs_and_evaluations_alternate(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    open_: Event | None = None
    for event in sorted((e for name in EDGES for e in log.all(name)), key=lambda e: e.line):
        if not event.key.endswith("_start"):
            open_ = None
        elif open_ is not None:
            yield Fault(event.line, f"{event.key} within {open_.key} of line {open_.line}", "after it has ended")
            return
        else:
            open_ = event


@rule("CLK16", "log", severity="review", after=("CLK10", "CLK04", "DATA06", "EVL11"))
def evaluations_take_time(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    trained = [s / n for start, stop in _epochs(log) if (s := seconds_between(start, stop)) and (n := _samples(stop))]
    if not trained:
        return
    a_sample = limits.eval_share * statistics.median(trained)
    for start, stop in zip(log.all("eval_start"), log.all("eval_stop"), strict=False):
        seconds, samples = seconds_between(start, stop), _samples(stop)
        if seconds is not None and samples and seconds + limits.resolution < a_sample * samples:
            wanted = f"{a_sample * samples:.3f} s or more, {limits.eval_share:g} of its training's time a sample"
            yield Fault(stop.line, f"{seconds:.3f} s for epoch {show(epoch_of(stop))}", wanted)
            return


@rule("CLK17", "log", severity="review", after=("CLK10", "CLK04"))
def the_first_epoch_reads_the_data(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.clock
    seconds = [s for start, stop in _epochs(log) if (s := seconds_between(start, stop)) is not None]
    if len(seconds) > 1:
        floor = limits.first_epoch_share * statistics.median(seconds[1:])
        if seconds[0] + limits.resolution < floor:
            wanted = f"{floor:.3f} s or more, {limits.first_epoch_share:g} of the others' median"
            yield Fault(log.line("epoch_stop"), f"{seconds[0]:.3f} s", wanted)


@rule("CLK18", "log", severity="review", after=("CLK07", "CLK03"))
def initialisation_is_short_beside_the_run(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits, stop = terms.edition.limits.clock, log.first("init_stop")
    seconds = _initialised(log, stop, terms)
    if stop and seconds is not None and time.seconds is not None:
        most = max(limits.init_free, limits.init_share * time.seconds)
        if seconds > most:
            yield Fault(stop.line, f"{seconds:.3f} s before a run of {time.seconds:.3f} s", f"at most {most:.3f} s")


@rule("CLK19", "log", severity="review", after=("CLK05", "CLK13"), on=EVERY)
def no_run_is_from_the_future(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    latest, now = max(_timed(log), key=TIME, default=None), clock.time() * 1000
    if latest is not None and latest.time_ms > now + terms.edition.limits.clock.future * 1000:
        yield Fault(latest.line, f"{latest.key} at {date_of(latest.time_ms)}", f"at most today, {date_of(round(now))}")


def _epochs(log: Log) -> Iterator[tuple[Event, Event]]:
    """Yield the start and stop of each epoch; CLK10 has found them balanced."""
    yield from zip(log.all("epoch_start"), log.all("epoch_stop"), strict=False)


def _samples(stop: Event) -> int:
    samples = metadata(stop, "samples_count")
    return max(int(samples), 0) if type(samples) is int and is_number(samples) else 0


def _figures(event: Event, stop: Event) -> Iterator[tuple[str, float]]:
    """Yield (source, seconds) of an epoch: by its throughput, and by its seconds waited and computed."""
    stats, samples = event.value, metadata(stop, "samples_count")
    if is_number(stats.get("throughput")) and stats["throughput"] > 0 and is_number(samples):
        yield "throughput", samples / stats["throughput"]
    parts = [stats.get("wait_seconds"), stats.get("compute_seconds")]
    if all(map(is_number, parts)):
        yield "wait_seconds and compute_seconds", sum(parts)


def _least_of_steps(log: Log, event: Event, stop: Event) -> float | None:
    """Return the least seconds that the steps of an epoch take together by the quantiles of their seconds, which are as
    far apart as each other; None if the log has none."""
    quantiles, batch, samples = event.value.get("step_compute_seconds"), log.value("global_batch_size"), _samples(stop)
    if type(quantiles) is not list or not 1 < len(quantiles) < LISTED or not all(map(is_number, quantiles)):
        return None
    if type(batch) is not int or batch < 1 or not samples:
        return None
    return samples // batch * statistics.fmean(sorted(quantiles)[:-1])
