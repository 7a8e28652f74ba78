"""LOG: the log can be read, is complete, and has the required keys with values of the right type."""

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from benchmark.log import Event
from compliance.finding import Fault, show
from compliance.reading.log import MOST_EVENTS, Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, epoch_of
from compliance.reading.values import grouped, is_number
from compliance.rule import EVERY, rule
from rules.key import Key

ENDINGS = {"_start": "INTERVAL_START", "_stop": "INTERVAL_END"}
OF_AN_EPOCH = ("epoch_start", "epoch_stop", "eval_start", "eval_stop")
COUNTED = ("run_start", "run_stop", "init_stop")  # CLK01 counts these
ELSEWHERE = (*COUNTED, "seed")  # SEED01 asks for it
DECIDES = "submission_benchmark"  # all other keys depend on it
PHASES = (*OF_AN_EPOCH, "block_start", "block_stop", "staging_start", "staging_stop", "resumed")
POSITIVE, FROM_ZERO, ANY = ("throughput", "compute_seconds"), ("wait_seconds",), ("loss",)
ODDITIES = {
    "prefix": "text before the token",
    "suffix": "text after the event",
    "encoding": "bytes that are not UTF-8",
    "control": "a NUL byte or a byte order mark",
    "constant": "NaN or Infinity, which JSON does not have",
    "twice": "a field named twice in one event",
}


@rule("LOG01", "log", after=("LOG02",), on=EVERY)
def lines_are_events(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for bad in log.bad:
        key = log.named.get(bad.line, "")
        about = subjects(key, terms) if key not in ("", DECIDES) else ()
        if bad.line == log.last_line:
            found = "half an event" if bad.reason.startswith("not JSON") else bad.reason
            yield Fault(bad.line, found, "the whole log", "The log breaks off in its last line", about=about)
        else:
            wanted = "one JSON object with time_ms, event_type, key, value and metadata"
            yield Fault(bad.line, bad.reason, wanted, about=about)
    if log.bad_count > len(log.bad):
        yield Fault(log.bad[-1].line, f"{log.bad_count - len(log.bad)} more such lines", "none")


@rule("LOG02", "log", gate=True, on=EVERY)
def log_can_be_read(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if log.unreadable:
        yield Fault(1, log.unreadable, "a regular file that may be read")
    elif log.overflow:
        wanted = f"at most {MOST_EVENTS} events; large ones count several times"
        yield Fault(log.overflow, f"{log.count} events", wanted, "Could not look further")


@rule("LOG03", "log", gate=True, after=("LOG02",), on=EVERY)
def log_holds_events(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if not log.count and not log.bad:
        yield Fault(1, "no line with :::MLLOG", "the events of a run")


@rule("LOG04", "log", after=("LOG03", "RUN10"), on=EVERY)
def required_keys_are_logged(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    lost = log.lost
    if lost is None:  # any key may be in a line that can't be read
        return
    resumed, begun = log.first("resumed"), log.first("init_start")
    if resumed and (begun is None or resumed.line < begun.line):
        says = "The log begins where its run was resumed: its first part is missing"
        found = "no init_start" if begun is None else f"init_start in line {begun.line}"
        yield Fault(resumed.line, f"{found} before the event resumed", "the part that begins with init_start", says)
        return
    there = {*log.events, *lost, *ELSEWHERE}
    for name, key in terms.keys.items():
        if key.required and name not in there and applies(key, log, terms):
            yield Fault(1, f"no {name}", "one", about=subjects(name, terms))


@rule("LOG05", "log", after=("LOG03", "RUN10"), on=EVERY)
def keys_of_the_run_are_logged_once(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, key in terms.keys.items():
        events = log.events.get(name)
        if key.many or not events or len(events) == 1 or name in COUNTED:
            continue
        mild = "warning" if terms.edition.limits.tolerant and not key.required else ""
        for event in events[1:]:
            found = f"another {name}, {show(event.value)}"
            wanted = f"only that of line {events[0].line}"
            yield Fault(event.line, found, wanted, severity=mild, about=subjects(name, terms))


@rule("LOG06", "log", after=("LOG02",), on=EVERY)
def values_have_their_type(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, key in terms.keys.items():
        if name == "seed":  # SEED02 judges these
            continue
        for event in log.all(name)[:1] if not key.many else log.all(name):
            if not _typed(event.value, key.kind) or (not key.closed and not in_limits(event.value, key)):
                value = json.dumps(event.value) if type(event.value) is str else event.value  # "4" is not 4
                yield Fault(event.line, f"{name} {show(value)}", describe(key), about=subjects(name, terms))


@rule("LOG07", "log", on=EVERY)
def event_types_fit(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, events in log.events.items():
        wanted = event_type_of(name)
        odd, times = [event for event in events if event.event_type != wanted], ""
        if terms.edition.limits.tolerant and len(odd) > 1:  # a program that errs does so in every line
            odd, times = odd[:1], f", {len(odd)} times"
        for event in odd:
            yield Fault(event.line, f"{name} {show(event.event_type)}{times}", wanted)


@functools.lru_cache(maxsize=1024)
def event_type_of(key: str) -> str:
    """Return the event type that a key asks for by its ending."""
    return next((kind for ending, kind in ENDINGS.items() if key.endswith(ending)), "POINT_IN_TIME")


@rule("LOG08", "log", severity="warning", after=("LOG02",), on=EVERY)
def log_is_plain_text(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for kind, (count, line) in log.odd.items():
        times = f", in {count} lines" if count > 1 else ""
        yield Fault(line, ODDITIES[kind] + times, "none")


@rule("LOG09", "log", after=("LOG02",), on=EVERY)
def values_are_known(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, key in terms.keys.items():
        if key.choices is None or key.closed:  # HYP01 judges those of the closed division
            continue
        event = log.first(name)
        if event and event.value not in key.choices and _typed(event.value, key.kind):
            yield Fault(event.line, f"{name} {show(event.value)}", f"one of {', '.join(map(str, key.choices))}")


@rule("LOG10", "log", reads=("epochs",), on=EVERY)
def events_name_their_epoch(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name in (*OF_AN_EPOCH, terms.metric):
        for event in log.all(name):
            number = epoch_of(event)
            if not is_number(number) or number < 0:
                yield Fault(event.line, f"{name} with epoch_num {show(number)}", "the number of epochs so far")
                if terms.edition.limits.tolerant:
                    break


@rule("LOG11", "log", reads=("rules_edition",), on=EVERY)
def log_names_its_edition(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    yield from differs(log.first("rules_edition"), terms.edition.name)


@rule("LOG12", "log", reads=("problem",), on=EVERY)
def log_names_its_problem(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("problem")
    if event and terms.problem is None:
        known = (n for n, published in terms.edition.problems.items() if published.benchmark == terms.benchmark_name)
        yield Fault(event.line, f"problem {show(event.value)}", f"one of {', '.join(known)}")


@rule("LOG14", "log", after=("LOG02",), on=EVERY)
def metadata_are_objects(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, events in (*log.events.items(), *((name, [event]) for name, event in log.others.items())):
        for event in events:
            if type(event.metadata) is not dict:
                found = f"{name} with metadata {show(event.metadata)}"
                yield Fault(event.line, found, "an object", about=subjects(name, terms))


def subjects(key: str, terms: Terms) -> tuple[str, ...]:
    """Return a key with the groups that it is of: those of its epochs; those that repeat the configuration; those that
    are the same in a run that was resumed."""
    groups = {"epochs": (*PHASES, terms.metric), "configured": terms.benchmark.configured_keys}
    groups["same"] = same_keys(terms)
    return (key, *(group for group, keys in groups.items() if key in keys))


def same_keys(terms: Terms) -> tuple[str, ...]:
    """Return the keys that are the same in a run that was resumed."""
    limits = terms.edition.limits
    same = (limits.same_code, limits.same_system, limits.same_in_set, terms.benchmark.configured_keys)
    return ("seed", *(key for keys in (*same, limits.same_problem) for key in keys))


def differs(event: Event | None, wanted: object) -> Iterator[Fault]:
    """Yield a fault if an event has another value than the wanted one. None is wanted if none is known."""
    if event and wanted is not None and event.value != wanted:
        yield Fault(event.line, f"{event.key} {show(event.value)}", str(wanted))


def applies(key: Key, log: Log, terms: Terms) -> bool:
    if key.closed and terms.division != "closed":
        return False
    return all(log.value(name) == value for name, value in key.only_if)


KINDS: dict[str, Callable[[Any], bool]] = {
    "int": lambda v: type(v) is int,
    "number": is_number,
    "string": lambda v: type(v) is str and bool(v.strip()),
    "bool": lambda v: type(v) is bool,
    "list": lambda v: type(v) is list,
    "object": lambda v: type(v) is dict,
}


def _typed(value: object, kind: str | None) -> bool:
    return kind is None or KINDS[kind](value)


def in_limits(value: object, key: Key) -> bool:
    """Return whether a value keeps the limits of its key: min, above, max, below, length."""
    if key.length is not None:
        return isinstance(value, list) and len(value) == key.length
    if key.min is key.above is key.max is key.below is None:
        return True
    return (
        is_number(value)
        and (key.min is None or value >= key.min)
        and (key.above is None or value > key.above)
        and (key.max is None or value <= key.max)
        and (key.below is None or value < key.below)
    )


def describe(key: Key) -> str:
    """Return in words the value that a key asks for."""
    kinds = {"int": "an integer", "number": "a finite number", "string": "text"}
    kinds |= {"bool": "true or false", "list": "a list", "object": "an object"}
    limits = {"from": key.min, "above": key.above, "up to": key.max, "below": key.below, "of length": key.length}
    words = [f"{word} {limit:g}" for word, limit in limits.items() if limit is not None]
    return " ".join([kinds.get(key.kind or "", key.kind or "a value"), *words])


@rule("LOG13", "log", after=("CLK10",), reads=("tracked_stats",))
def epochs_log_their_statistics(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    by_epoch = grouped(log.all("tracked_stats"), epoch_of)
    for stop in log.all("epoch_stop"):
        events = by_epoch.get(epoch_of(stop), [])
        if len(events) != 1:
            yield Fault(stop.line, f"{len(events)} tracked_stats of epoch {show(epoch_of(stop))}", "one")
        elif wrong := _wrong_statistic(events[0].value):
            yield Fault(events[0].line, *wrong)


def _wrong_statistic(value: object) -> tuple[str, str] | None:
    """Return (found, wanted) of the first wrong statistic of an epoch, None if all are right."""
    stats = value if type(value) is dict else {}
    for name in (*POSITIVE, *FROM_ZERO, *ANY):
        number = stats.get(name)
        if name not in stats:
            return f"no {name}", "one"
        if name not in ANY and (not is_number(number) or number < 0 or (name in POSITIVE and not number)):
            return f"{name} {show(number)}", "a number above 0" if name in POSITIVE else "a number from 0 on"
    return None
