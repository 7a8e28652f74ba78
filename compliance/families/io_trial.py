"""IOT: trials of the input, and the time that the ranks of a run waited for data."""

import itertools
from collections.abc import Iterator
from typing import Any

from benchmark.log import Event
from compliance.families.data import by_rank_fault
from compliance.families.throughput import CLOSE, off_the_clock, rate_fault
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of, metadata, seconds_between
from compliance.reading.values import fields, grouped, is_number
from compliance.rule import IO, RUNS, rule

OF_RUNS = ("epoch_start", "epoch_stop", "eval_start", "eval_stop", "tracked_stats", "throughput")
WAITS = ("least", "mean", "most", "slowest")
SECONDS = ("first_step_seconds", "later_seconds", "later_computed_seconds")


@rule("IOT01", "log", after=("LOG02",), on=RUNS | IO)
def trials_score_nothing(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.io_only:
        for key in (*OF_RUNS, terms.metric, "throughput_only"):
            if event := log.first(key):
                yield Fault(event.line, f"{key} in a log that says io_only", "neither training nor a score")


@rule("IOT02", "log", after=("CLK04",), reads=("io_epoch", "io_trial"), on=RUNS | IO)
def trials_follow_from_counts(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    passes, totals = log.all("io_epoch"), log.all("io_trial")
    if not terms.io_only or time.start is None:
        return
    faults = [fault for event in (*passes, *totals) if (fault := rate_fault(event, "seconds"))]
    yield from faults
    if faults:
        return
    before, limits = time.start, terms.edition.limits.clock
    (cold,) = fields(log.value("io_setup"), "least_au")  # of a cache that is emptied before each pass
    for event in sorted((*passes, *totals), key=lambda e: e.line):
        if event.key == "io_epoch":
            said, had = event.value["seconds"], seconds_between(before, event)
            alone = before.key == "io_epoch"  # copies and other formats are written before the first
            # CLK05 names a time that is none, and a waiver may cover that.
            if had is not None and (wanted := off_the_clock(said, had, limits, alone)):
                severity = "review" if said < had and cold is not None else ""
                yield Fault(event.line, f"{said:.3f} s in {had:.3f} s on the clock", wanted, severity=severity)
        before = event
    yield from _sums(passes, totals)


@rule("IOT03", "log", after=("IOT02",), on=RUNS | IO)
def utilizations_are_shares(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in _trials(log, terms):
        value, au = event.value, event.value.get("au")
        parts = [] if au is None else fields(au, "least", "mean", "most")
        shares = [*parts, value.get("au_waiting"), value.get("au_barrier")]
        if not all(is_number(s) and -CLOSE <= s <= 1 + CLOSE for s in shares) or not _rising(parts):
            found = f"au {show(au)}, au_waiting {show(shares[-2])}, au_barrier {show(shares[-1])}"
            yield Fault(event.line, found, "shares from 0 to 1, least to most")
        if fault := _waits_fault(event, value.get("wait_seconds"), value.get("seconds")):
            yield fault


@rule("IOT04", "log", after=("IOT05", "DATA02"), reads=("io_setup", "number_of_ranks", "number_of_nodes"), on=RUNS | IO)
def bytes_are_of_the_samples(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits, ranks, nodes = terms.edition.limits.io, log.value("number_of_ranks"), log.value("number_of_nodes")
    if not terms.io_only or limits is None or not (is_number(ranks) and is_number(nodes)):  # LOG04 says so
        return
    (size,) = fields(log.value("io_setup"), "sample_bytes")
    published = terms.problem
    least = published.bytes.get("train", 0) / published.train_samples if published else 0
    if type(size) is not int or size < max(1, least):
        yield Fault(log.line("io_setup"), f"sample_bytes {show(size)}", f"an integer from {max(1, least):g} on")
        return
    for event in _trials(log, terms):
        value, samples = event.value, metadata(event, "samples_count")
        (delivered,), (device,) = (fields(value.get(name), "total") for name in ("logical_bytes", "physical_bytes"))
        disk = value.get("disk_bytes")
        if not is_number(delivered) or not size * samples <= delivered <= size * samples * ranks:
            found = f"logical_bytes {show(value.get('logical_bytes'))}"
            yield Fault(event.line, found, f"{size * samples} to {size * samples * ranks}, the bytes of its samples")
        most = limits.node_bytes_per_second * nodes * value["seconds"]
        if is_number(device) and device > most:
            yield Fault(event.line, f"{device} bytes from devices in {value['seconds']:.3f} s", f"at most {most:.4g}")
        if is_number(device) and is_number(disk) and device > disk * (1 + limits.counter_slack) + limits.counter_free:
            yield Fault(event.line, f"{device} bytes from a device that read {disk}", "no more than it read")


@rule("IOT05", "log", after=("IOT02",), reads=("number_of_ranks",), on=RUNS | IO)
def every_rank_is_counted(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    ranks = log.value("number_of_ranks")
    for event in _trials(log, terms):
        value = event.value
        if value.get("ranks") != ranks:
            yield Fault(event.line, f"ranks {show(value.get('ranks'))}", f"{show(ranks)}, as number_of_ranks says")
            continue
        for name in ("logical_bytes", "read_bytes", "requests", "physical_bytes"):
            sizes = value.get(name)
            if sizes is None and name == "physical_bytes":  # the kernel does not count it
                continue
            if fault := by_rank_fault(event.line, name, sizes, ranks):
                yield fault


@rule("IOT06", "log", after=("LOG13",))
def ranks_wait_in_order(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in log.all("tracked_stats"):
        stats = event.value if type(event.value) is dict else {}
        if "wait_by_rank" in stats:
            parts = fields(stats, "wait_seconds", "compute_seconds")
            seconds = sum(parts) if all(map(is_number, parts)) else None
            if fault := _waits_fault(event, stats["wait_by_rank"], seconds):
                yield fault


@rule("IOT07", "log", severity="review", after=("IOT03",), reads=("io_setup",), on=RUNS | IO)
def utilization_is_below_its_ceiling(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits, setup = terms.edition.limits.io, log.value("io_setup")
    (ceiling,) = fields(setup, "null_au")
    for event in _trials(log, terms):
        (au,) = fields(event.value.get("au"), "mean")
        if limits and is_number(ceiling) and is_number(au) and au > ceiling + limits.ceiling_slack + CLOSE:
            yield Fault(event.line, f"AU {au:.4f} above {ceiling:.4f}", f"at most {ceiling + limits.ceiling_slack:.4f}")


@rule("IOT08", "log", after=("IOT03", "IOT05"), reads=("number_of_ranks",), on=RUNS | IO)
def utilization_follows_from_seconds(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in _trials(log, terms, "io_epoch"):
        ranks, count = event.value.get("by_rank"), log.value("number_of_ranks")
        columns = _seconds(ranks, count)
        if columns is None:
            yield Fault(event.line, f"by_rank {show(ranks)}", f"seconds of {show(count)} ranks: {', '.join(SECONDS)}")
            continue
        first, later, computed = columns
        whole = max(a + b for a, b in zip(first, later, strict=True))
        if not abs(whole - event.value["seconds"]) <= CLOSE * whole + CLOSE:
            yield Fault(event.line, f"ranks of at most {whole:g} s", f"{event.value['seconds']:g} s, those of the pass")
        aus = [min(1.0, c / s) for c, s in zip(computed, later, strict=True) if s]
        wanted = sum(aus) / len(aus) if aus else None
        (au,) = fields(event.value.get("au"), "mean")  # None if no step came later; IOT03 names what is no number
        follows = au is wanted if wanted is None or not is_number(au) else abs(au - wanted) <= CLOSE
        if not follows:
            text = "none" if wanted is None else f"{wanted:.6f}"
            yield Fault(event.line, f"AU {show(au)}", f"{text}, which the ranks' seconds give")


def _seconds(ranks: Any, count: Any) -> list[list[float]] | None:
    """Return the columns of SECONDS, or None unless each has a time of every rank."""
    columns = fields(ranks, *SECONDS)
    whole = (type(c) is list and len(c) == count and all(is_number(n) and n >= 0 for n in c) for c in columns)
    return columns if all(whole) else None


def _trials(log: Log, terms: Terms, *keys: str) -> list[Event]:
    """Return the passes and totals of a trial, or one of the two, [] for any other log. Those without seconds and
    counts are left out: IOT02 names them, and a waiver may cover that."""
    events = [event for key in keys or ("io_epoch", "io_trial") for event in log.all(key)] if terms.io_only else []
    return [event for event in events if rate_fault(event, "seconds") is None]


def _sums(passes: list[Event], totals: list[Event]) -> Iterator[Fault]:
    """Yield the faults of totals that don't follow from their passes. Each format at a place has one total.

    Times are added for each rank by itself. So the total, of the slowest rank, is at most the sum over passes of the
    slowest rank in each.
    """
    groups = grouped(passes, _variant)
    for total in totals:
        mine = groups.pop(_variant(total), None)
        if mine is None:
            found = "an io_trial without passes of its format and place, or a second one"
            yield Fault(total.line, found, "one of each")
            continue
        for name in ("steps", "samples_count"):
            found, wanted = metadata(total, name), sum(metadata(e, name) for e in mine)
            if found != wanted:
                yield Fault(total.line, f"{found:g} {name} in all", f"{wanted:g}, as in its passes together")
        each = [e.value["seconds"] for e in mine]
        if not max(each) * (1 - CLOSE) <= total.value["seconds"] <= sum(each) * (1 + CLOSE):
            yield Fault(total.line, f"{total.value['seconds']:g} s in all", f"at most {sum(each):g}, as in its passes")
    for left in list(groups.values())[:1]:
        yield Fault(left[0].line, "a pass without an io_trial of its format and place", "one")


def _variant(event: Event) -> tuple[str, str]:
    return show(metadata(event, "format")), show(metadata(event, "place"))


def _waits_fault(event: Event, waits: Any, seconds: Any) -> Fault | None:
    """Return a fault if the waits of ranks are malformed, or not in order from the least to the slowest, and these to
    `seconds`."""
    found = fields(waits, *WAITS)
    if not all(is_number(n) and n >= 0 for n in found):
        return Fault(event.line, f"waits {show(waits)}", f"numbers {', '.join(WAITS)}")
    if not _rising([*found, seconds] if is_number(seconds) else found):
        told = f"waits {', '.join(f'{n:g}' for n in found)} in epoch {show(epoch_of(event))}, {show(seconds)} s"
        wanted = "least, mean, most, slowest and the whole, each no less than the one before"
        return Fault(event.line, told, wanted)
    return None


def _rising(numbers: list[Any]) -> bool:
    """Return whether each number is no less than the one before, within rounding."""
    return all(a <= b * (1 + CLOSE) + CLOSE for a, b in itertools.pairwise(numbers))
