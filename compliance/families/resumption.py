"""RES: runs that were interrupted and resumed."""

from bisect import bisect_right
from collections.abc import Iterator

from benchmark.log import Event
from compliance.families.log import same_keys
from compliance.finding import Fault, show
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Scored, Timeline, epoch_of, seconds_between
from compliance.rule import rule


@rule("RES01", "log", after=("CLK02", "LOG10"))
def runs_go_on_where_they_were(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in log.all("resumed"):
        last = _before(event, time)
        if time.start is None or time.stop is None or not time.start.line < event.line < time.stop.line:
            yield Fault(event.line, "resumed outside the run", "between run_start and run_stop")
        elif last is None:
            yield Fault(event.line, "resumed before any evaluation", "an evaluation before it")
        elif last.passes:
            yield Fault(event.line, f"resumed after the target was met in line {last.event.line}", "run_stop there")
        elif epoch_of(event) != last.epoch:
            yield Fault(event.line, f"resumed after epoch {show(epoch_of(event))}", f"epoch {show(last.epoch)}")


@rule("RES02", "log", after=("RES01",), reads=("same", "configured"))
def runs_go_on_as_what_they_were(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in log.all("resumed"):
        if type(event.value) is not dict:
            yield Fault(event.line, f"resumed {show(event.value)}", "the keys of the log's head")
            continue
        for key in dict.fromkeys(same_keys(terms)):
            found, wanted = event.value.get(key), log.first(key)
            if wanted and found != wanted.value:
                yield Fault(event.line, f"{key} {show(found)}", f"{show(wanted.value)}, as in line {wanted.line}")


@rule("RES03", "log", severity="review", after=("CLK04", "RES02"))
def runs_are_not_interrupted(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    for event in log.all("resumed"):
        before = _before(event, time)
        last = before.event if before else None
        seconds = seconds_between(last, event)
        if last and seconds is not None:
            found = f"{seconds:.3f} s on the clock without progress, from line {last.line} to here"
            yield Fault(event.line, found, "", f"The run was interrupted after epoch {epoch_of(event)} and resumed")


def _before(event: Event, time: Timeline) -> Scored | None:
    """Return the last score before a resumption, None if there is none."""
    at = bisect_right(time.scores, event.line, key=lambda score: score.event.line)
    return time.scores[at - 1] if at else None
