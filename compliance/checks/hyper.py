"""HYP and MOD: what the closed division may change, and the model that must be the reference's."""

import math
from collections.abc import Iterator

from compliance.checks.log import _applies, _ranged, describe
from compliance.finding import Fault, show
from compliance.rule import rule
from compliance.run import Law, Run
from compliance.timeline import Timeline


@rule("HYP01", "log", after=("LOG02",))
def closed_keeps_the_reference(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The closed division changes no hyperparameter but those that it may, and those within their limits"""
    for name, key in law.keys.items():
        if not key.closed or not _applies(key, run, law):
            continue
        for event in run.all(name)[:1]:
            wanted = _violates(event.value, key)
            if wanted:
                yield Fault(event.line, f"{name} {show(event.value)}", wanted)


@rule("HYP02", "log", after=("LOG06", "DATA02"))
def batch_fits_the_data(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """A global batch holds no more samples than the training split"""
    batch, samples = run.first("global_batch_size"), run.value("train_samples")
    if batch and type(batch.value) is int and type(samples) is int and batch.value > samples:
        yield Fault(batch.line, f"global_batch_size {batch.value}", f"at most {samples}")


@rule("HYP03", "log", after=("LOG06", "HYP01"))
def hyperparameters_agree(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The hyperparameters that are logged twice over, alone and in the resolved configuration, agree"""
    event = run.first("hyperparameters")
    if event is None or type(event.value) is not dict or law.benchmark is None:
        return
    for key, name in law.benchmark.configured.items():
        alone, value = run.first(key), event.value.get(name)
        if alone and value is not None and alone.value != value:
            yield Fault(alone.line, f"{key} {show(alone.value)}", f"{name} {show(value)}, as in line {event.line}")


@rule("MOD01", "log", after=("LOG12",))
def parameters_are_the_models(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The model has the number of parameters of the reference"""
    event = run.first("parameter_count")
    wanted = law.problem.parameter_count if law.problem and law.division == "closed" else None
    if event and wanted is not None and event.value != wanted:
        yield Fault(event.line, f"parameter_count {show(event.value)}", str(wanted))


@rule("MOD02", "log", after=("LOG06",))
def layout_covers_the_ranks(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """The layout of ranks multiplies up to the number of ranks"""
    event, ranks = run.first("layout"), run.value("number_of_ranks")
    if event and type(event.value) is dict and type(ranks) is int:
        extents = list(event.value.values())
        sound = all(type(n) is int and 0 < n < 1 << 32 for n in extents)
        if not sound or math.prod(extents) != ranks:
            yield Fault(event.line, f"layout {show(event.value)}", f"a product of {ranks}, the number_of_ranks")


def _violates(value: object, key) -> str:
    """What the key asks for, where the value isn't it; else nothing."""
    if key.equals is not None:
        same = (value == key.equals and type(value) is not bool) or value is key.equals
        return "" if same else f"{key.equals!r}"
    if key.close is not None:
        good = type(value) in (int, float) and math.isclose(value, key.close, rel_tol=1e-9)
        return "" if good else f"{key.close!r}"
    if key.choices is not None:
        return "" if value in key.choices else f"one of {', '.join(map(str, key.choices))}"
    return "" if _ranged(value, key) else describe(key)
