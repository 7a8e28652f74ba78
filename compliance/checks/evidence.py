"""LOG, DATA and EVL: the evidence that a run logs as it trains: statistics, bytes, fingerprints, scores in order."""

from bisect import bisect_right
from collections.abc import Iterator

from benchmark.log import Event
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata, seconds_between
from compliance.reading.values import is_number
from compliance.rule import rule

POSITIVE, COUNTED, ANY = ("throughput", "compute_seconds"), ("wait_seconds",), ("loss",)
BYTES = ("total", "least_by_rank", "most_by_rank")


@rule("LOG13", "log", after=("CLK10",), reads=("tracked_stats",))
def epochs_log_their_statistics(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """Every epoch logs its statistics once: throughput, loss, seconds waited and computed"""
    by_epoch: dict[object, list[Event]] = {}
    for event in log.all("tracked_stats"):
        by_epoch.setdefault(epoch_of(event), []).append(event)
    for stop in log.all("epoch_stop"):
        events = by_epoch.get(epoch_of(stop), [])
        if len(events) != 1:
            yield Fault(stop.line, f"{len(events)} tracked_stats of epoch {show(epoch_of(stop))}", "one")
        elif wrong := _wrong_statistic(events[0].value):
            yield Fault(events[0].line, *wrong)


@rule("DATA07", "log", after=("DATA05",))
def bytes_read_suffice(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """The bytes read of each split are logged, and suffice for it"""
    floors = terms.problem.bytes if terms.problem else {}
    ranks = log.value("number_of_ranks")
    for event in log.all("dataset_fingerprint"):
        read, split = metadata(event, "bytes_read"), metadata(event, "split")
        numbers = [read.get(name) if type(read) is dict else None for name in BYTES]
        if not all(type(n) is int and n >= 0 for n in numbers):
            yield Fault(event.line, f"bytes_read {show(read)}", f"integers {', '.join(BYTES)}")
            continue
        total, least, most = numbers
        floor = floors.get(split, 1) if type(split) is str else 1
        if total < floor:
            yield Fault(event.line, f"{total} bytes read of {show(split)}", f"{floor} or more")
        elif not least <= most <= total or (type(ranks) is int and not least * ranks <= total <= most * ranks):
            found = f"{total} bytes, by rank from {least} to {most}"
            yield Fault(event.line, found, f"a total that {show(ranks)} ranks can have")


@rule("DATA08", "log", after=("CLK10", "DATA05"))
def fingerprints_are_of_the_first_pass(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """Fingerprints are logged after the first epoch's pass over the split, and before the second epoch"""
    parts = terms.benchmark.evaluations_per_epoch  # each logged as an epoch
    stops = {"train": next(iter(log.all("epoch_stop")[parts - 1 :]), None), "validation": log.first("eval_stop")}
    second = next(iter(log.all("epoch_start")[parts:]), None)
    for event in log.all("dataset_fingerprint"):
        split = metadata(event, "split")
        if split not in ("train", "validation"):
            continue  # DATA05 says so
        stop = stops[split]
        if stop is None or event.line < stop.line or (second and event.line > second.line):
            where = f"after line {stop.line}" if stop else "after the first pass"
            wanted = where + (f" and before line {second.line}" if second else "")
            yield Fault(event.line, f"the fingerprint of {split}", wanted)


@rule("EVL15", "log", after=("CLK10", "EVL01"))
def scores_follow_their_evaluations(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    """A score is logged within its evaluation, or at once after it"""
    starts, stops = log.all("eval_start"), log.all("eval_stop")
    lines, delay = [e.line for e in starts], terms.edition.limits.clock.stop_delay
    ends = {epoch_of(e): e for e in stops}
    for score in time.scores:
        event, at = score.event, bisect_right(lines, score.event.line)
        before = starts[at - 1] if at else None
        if before is None or epoch_of(before) != score.epoch:
            last = f"the eval_start of epoch {show(epoch_of(before))}" if before else "no eval_start"
            found = f"the score of epoch {show(score.epoch)} after {last}"
            yield Fault(event.line, found, f"the eval_start of epoch {show(score.epoch)} before it")
        elif (seconds := seconds_between(ends.get(score.epoch), event)) is not None and seconds > delay:
            yield Fault(event.line, f"a score {seconds:.3f} s after its eval_stop", f"at most {delay:g} s")


def _wrong_statistic(value: object) -> tuple[str, str] | None:
    """Return (found, wanted) of the first wrong statistic of an epoch, None if all are right."""
    stats = value if type(value) is dict else {}
    for name in (*POSITIVE, *COUNTED, *ANY):
        number = stats.get(name)
        if name not in stats:
            return f"no {name}", "one"
        if name not in ANY and (not is_number(number) or number < 0 or (name in POSITIVE and not number)):
            return f"{name} {show(number)}", "a number above 0" if name in POSITIVE else "a number from 0 on"
    return None
