"""HYP: the settings, and those that the closed division may change."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from benchmark.log import Event
from compliance.families.log import KINDS, applies, describe, in_limits
from compliance.finding import Fault, listed, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.reading.tuning import settings_of
from compliance.reading.values import is_number
from compliance.rule import EVERY, rule
from rules.key import Key

MOST_NAMED = 12  # settings
LONGEST = 1e9  # epochs, samples


@rule("HYP01", "log", after=("LOG02",), on=EVERY)
def closed_keeps_the_reference(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for name, key in terms.keys.items():
        if not key.closed or not applies(key, log, terms):
            continue
        for event in log.all(name)[:1]:
            wanted = _violates(event.value, key)
            if wanted:
                yield Fault(event.line, f"{name} {show(event.value)}", wanted)
    for name, value in _closed_settings(log, terms).items():
        known = terms.benchmark.settings.get(name)
        if known and known.limits and (wanted := _violates(value, known.limits)):
            yield Fault(log.line("hyperparameters"), f"{name} {show(value)}", wanted)


@rule("HYP02", "log", after=("DATA02",), reads=("global_batch_size", "train_samples"), on=EVERY)
def batch_fits_the_data(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    batch, samples = log.first("global_batch_size"), log.value("train_samples")
    if batch and type(batch.value) is int and type(samples) is int and batch.value > samples:
        yield Fault(batch.line, f"global_batch_size {batch.value}", f"at most {samples}")


@rule("HYP03", "log", after=("HYP01",), reads=("hyperparameters", "configured"), on=EVERY)
def hyperparameters_agree(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    settings, line = settings_of(log), log.line("hyperparameters")
    for key, name in terms.benchmark.configured.items():
        alone, value = log.first(key), settings.get(name)
        if alone and value is not None and alone.value != value:
            found = f"{key} {show(alone.value)} here, {name} {show(value)} in line {line}"
            yield Fault(alone.line, found, "one value")
    epoch = _steps_of_an_epoch(log)
    for key, name in terms.benchmark.configured_in_steps.items() if epoch else ():
        least = (key in terms.keys and terms.keys[key].min) or 0
        alone, wanted = log.first(key), _in_steps(settings.get(name), epoch, int(least))
        if alone and wanted is not None and alone.value != wanted:
            found = f"{key} {show(alone.value)} here, {name} {show(settings[name])} in line {line}"
            yield Fault(alone.line, found, f"{show(wanted)}, as an epoch has {epoch} steps")


def _steps_of_an_epoch(log: Log) -> int:
    """Return the steps of an epoch by the batch size and the training samples that a log states; 0 without them."""
    batch, samples = log.value("global_batch_size"), log.value("train_samples")
    known = type(batch) is int and type(samples) is int and batch > 0 and _is_short(samples)
    return -(-samples // batch) if known else 0


def _in_steps(epochs: Any, epoch: int, least: int) -> int | list[int] | None:
    """Return epochs, or a list of them, as whole steps, rounded, but no number below `least`; None for other values."""
    if type(epochs) is list:
        return [round(n * epoch) for n in epochs] if all(map(_is_short, epochs)) else None
    return max(least, round(epochs * epoch)) if _is_short(epochs) else None


def _is_short(number: Any) -> bool:
    return is_number(number) and 0 <= number < LONGEST


@rule("HYP04", "log", after=("HYP03",), reads=("hyperparameters", "config_digest"), on=EVERY)
def config_digest_is_the_configs(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, settings = log.first("config_digest"), log.value("hyperparameters")
    if event and type(settings) is dict:
        wanted = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
        if event.value != wanted:
            yield Fault(event.line, f"config_digest {show(event.value)}", f"{wanted}, that of the hyperparameters")


@rule("HYP05", "log", reads=("hyperparameters",), on=EVERY)
def hyperparameters_are_complete(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("hyperparameters")
    if event and type(event.value) is dict:
        settings = terms.benchmark.settings.items()
        missing = [name for name, setting in settings if name not in event.value and not setting.optional]
        if missing:
            wanted = "all settings that define what is trained"
            yield Fault(event.line, f"hyperparameters without {', '.join(missing)}", wanted)


@rule("HYP06", "log", severity="review", after=("HYP04",), reads=("hyperparameters",), on=EVERY)
def settings_are_known(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, settings = log.first("hyperparameters"), _closed_settings(log, terms)
    if event is None:
        return
    machine = {*_machine_settings(event, terms)}
    others = [name for name in settings if name not in {*terms.benchmark.settings, *machine}]
    known = {*terms.benchmark.settings, *terms.edition.limits.machine_settings}
    own = [name for name in settings if name in machine - known]
    for names, what in ((others, ""), (own, " as settings of the machine")):
        if names:
            found = f"hyperparameters with {listed([*map(show, names)], MOST_NAMED)}{what}"
            yield Fault(event.line, found, "only settings that the rules know, or a reason in sw_notes, for a reviewer")


@rule("HYP07", "log", severity="review", after=("LOG12",), on=EVERY)
def data_type_is_known(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, types = log.first("precision"), terms.edition.limits.data_types
    if event and types and type(event.value) is str:
        if event.value not in types:
            wanted = f"one of {', '.join(types)}, or a reason in sw_notes, for a reviewer"
            yield Fault(event.line, f"precision {show(event.value)}", wanted)
        elif types[event.value] == "scaled" and not KINDS["string"](metadata(event, "scaling")):
            found = f"precision {show(event.value)} without scaling"
            yield Fault(event.line, found, "scaling in its metadata: in words, by what values are scaled")


def _machine_settings(event: Event, terms: Terms) -> Iterable[str]:
    """Return the settings that a log says are of the machine; the reference's if it does not say."""
    named = metadata(event, "machine")
    if named is None:
        return terms.edition.limits.machine_settings
    return (name for name in named if type(name) is str) if type(named) is list else ()


def _closed_settings(log: Log, terms: Terms) -> dict[str, Any]:
    """Return the settings of a run in the closed division; {} if the rules list no settings of the benchmark."""
    return settings_of(log) if terms.division == "closed" and terms.benchmark.settings else {}


def _violates(value: Any, key: Key) -> str:
    """Return in words what the key asks for if the value violates it, else ""."""
    if key.equals is not None:
        same = (value == key.equals and type(value) is not bool) or value is key.equals
        return "" if same else f"{key.equals!r}"
    if key.close is not None:
        good = type(value) in (int, float) and math.isclose(value, key.close, rel_tol=1e-9)
        return "" if good else f"{key.close!r}"
    if key.choices is not None:
        return "" if value in key.choices else f"one of {', '.join(map(str, key.choices))}"
    return "" if in_limits(value, key) else describe(key)
