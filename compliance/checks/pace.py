"""CLK: the clock keeps one pace: the times of epochs, evaluations and initialisation fit together, and with today."""

import math
import statistics
import time as clock
from collections.abc import Iterator

from benchmark.log import Event
from compliance.checks.clock import date_of
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata, seconds_between
from compliance.reading.values import is_number
from compliance.rule import EVERY, rule

EDGES = ("epoch_start", "epoch_stop", "eval_start", "eval_stop")


@rule("CLK14", "log", after=("CLK12", "CLK13", "DATA06", "LOG13"))
def figures_fill_the_clock(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """An epoch's throughput and seconds account for its time on the clock"""
    limits = terms.edition.limits.clock
    stats = {epoch_of(e): e for e in log.all("tracked_stats")}
    for start, stop in _pairs(log, "epoch"):
        event, seconds = stats.get(epoch_of(stop)), seconds_between(start, stop)
        if event is None or seconds is None or type(event.value) is not dict:
            continue
        for name, told in _told(event, stop):
            if told < seconds * (1 - limits.slack) - limits.slack_seconds:
                found = f"{told:.3f} s by {name} in epoch {show(epoch_of(stop))}"
                yield Fault(event.line, found, f"its {seconds:.3f} s on the clock")
                return


@rule("CLK15", "log", after=("CLK10", "CLK04"))
def epochs_and_evaluations_alternate(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """Epochs and evaluations come one after another: none begins before the last one has ended"""
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
    """An evaluation takes time: for each sample, at least a share of the time to train on one"""
    limits = terms.edition.limits.clock
    trained = [
        s / n for start, stop in _pairs(log, "epoch") if (s := seconds_between(start, stop)) and (n := _samples(stop))
    ]
    if not trained:
        return
    a_sample = limits.eval_share * statistics.median(trained)
    for start, stop in _pairs(log, "eval"):
        seconds, samples = seconds_between(start, stop), _samples(stop)
        if seconds is not None and samples and seconds + limits.resolution < a_sample * samples:
            wanted = f"{a_sample * samples:.3f} s or more, {limits.eval_share:g} of its training's time a sample"
            yield Fault(stop.line, f"{seconds:.3f} s for epoch {show(epoch_of(stop))}", wanted)
            return


@rule("CLK17", "log", severity="review", after=("CLK10", "CLK04"))
def the_first_epoch_reads_the_data(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """The first epoch, which reads and proves the data, isn't much shorter than the others"""
    limits = terms.edition.limits.clock
    seconds = [s for start, stop in _pairs(log, "epoch") if (s := seconds_between(start, stop)) is not None]
    if len(seconds) > 1:
        floor = limits.first_epoch_share * statistics.median(seconds[1:])
        if seconds[0] + limits.resolution < floor:
            wanted = f"{floor:.3f} s or more, {limits.first_epoch_share:g} of the others' median"
            yield Fault(log.line("epoch_stop"), f"{seconds[0]:.3f} s", wanted)


@rule("CLK18", "log", severity="review", after=("CLK07", "CLK03"))
def initialisation_is_short_beside_the_run(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """Initialisation is short next to the run"""
    limits, stop = terms.edition.limits.clock, log.first("init_stop")
    seconds = seconds_between(log.first("init_start"), stop)
    if seconds is not None and time.seconds is not None:
        most = max(limits.init_free, limits.init_share * time.seconds)
        if seconds > most:
            yield Fault(stop.line, f"{seconds:.3f} s before a run of {time.seconds:.3f} s", f"at most {most:.3f} s")


@rule("CLK19", "log", severity="review", after=("CLK05", "CLK13"), on=EVERY)
def no_run_is_from_the_future(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """No time is later than the clock of the checker"""
    latest = max((e for events in log.events.values() for e in events), key=_time_of, default=None)
    now = clock.time() * 1000
    if latest is not None and _time_of(latest) > now + terms.edition.limits.clock.future * 1000:
        yield Fault(latest.line, f"{latest.key} at {date_of(latest.time_ms)}", f"at most today, {date_of(round(now))}")


def _pairs(log: Log, kind: str) -> Iterator[tuple[Event, Event]]:
    """Yield the start and stop of each epoch or evaluation; CLK10 has found them balanced."""
    yield from zip(log.all(f"{kind}_start"), log.all(f"{kind}_stop"), strict=False)


def _samples(stop: Event) -> int:
    samples = metadata(stop, "samples_count")
    return max(samples, 0) if type(samples) is int else 0


def _told(event: Event, stop: Event) -> Iterator[tuple[str, float]]:
    """Yield (source, seconds) of an epoch: by its throughput, and by its seconds waited and computed."""
    stats, samples = event.value, metadata(stop, "samples_count")
    if is_number(stats.get("throughput")) and stats["throughput"] > 0 and is_number(samples):
        yield "throughput", samples / stats["throughput"]
    parts = [stats.get("wait_seconds"), stats.get("compute_seconds")]
    if all(map(is_number, parts)):
        yield "wait_seconds and compute_seconds", sum(parts)


def _time_of(event: Event) -> float:
    return event.time_ms if is_number(event.time_ms) else -math.inf
