"""MOD: the model, which must be the reference's."""

import math
from collections.abc import Iterator

from compliance.families.log import differs
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline
from compliance.rule import EVERY, rule


@rule("MOD01", "log", after=("LOG12",), on=EVERY, needs=("parameter_count",))
def parameters_are_the_models(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if terms.problem and terms.division == "closed":
        yield from differs(log.first("parameter_count"), terms.problem.parameter_count)


@rule("MOD02", "log", reads=("layout", "number_of_ranks"), on=EVERY)
def layout_covers_the_ranks(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event, ranks = log.first("layout"), log.value("number_of_ranks")
    if event and type(event.value) is dict and type(ranks) is int:
        extents = list(event.value.values())
        sound = all(type(n) is int and 0 < n < 1 << 32 for n in extents)
        if not sound or math.prod(extents) != ranks:
            yield Fault(event.line, f"layout {show(event.value)}", f"a product of {ranks}, the number_of_ranks")
