"""SEED: every run is seeded freshly, and with what it logs."""

from collections.abc import Iterator

from compliance.checks.log import WHOLE
from compliance.finding import Fault, show
from compliance.rule import rule
from compliance.run import Law, Run, is_number, seed_of
from compliance.timeline import Timeline, field


@rule("SEED01", "log", after=WHOLE)
def runs_log_their_seed(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """Every run logs its seed"""
    if not run.first("seed"):
        yield Fault(1, "no seed", "one", "The log has no seed")


@rule("SEED02", "log")
def seeds_are_integers(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """A seed is a non-negative integer"""
    for event in run.all("seed"):
        if seed_of(event.value) is None:
            yield Fault(event.line, f"seed {show(event.value)}", "an integer from 0 on")
        elif type(event.value) is str:
            mild = "warning" if law.edition.limits.many_ranks else ""  # rounds took them
            yield Fault(event.line, f"seed {show(event.value)} as text", "an integer", severity=mild)


@rule("SEED03", "log", after=("SEED02", "SEED04"))
def seeds_are_fresh(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """A seed is drawn from enough entropy: no small number, no clock, no shell variable"""
    limits = law.edition.limits.seeds
    for event in run.all("seed"):
        seed = seed_of(event.value)
        kind = _clock(seed, event.time_ms, limits.clock_window)
        if not kind and seed.bit_length() < limits.bits:
            kind = _small(seed)
        if kind:
            yield Fault(
                event.line, f"seed {seed}, {kind}", f"one of the system's entropy, of {limits.bits} bits or more"
            )


@rule("SEED04", "log")
def run_is_no_rehearsal(run: Run, law: Law, time: Timeline) -> Iterator[Fault]:
    """A scored run takes its seed from a fresh source and is no rehearsal"""
    sources = law.edition.limits.seeds.sources
    for event in run.all("seed"):
        source = field(event, "source")
        if sources and source not in sources:
            yield Fault(event.line, f"seed from {show(source)}", " or ".join(sources))


def _clock(seed: int, time_ms: object, window: float) -> str:
    """The unit in which a seed is the time of the run, or nothing. `window` in seconds; 0 doesn't look."""
    if window and is_number(time_ms):
        for unit, scale in (("seconds", 1e-3), ("milliseconds", 1), ("microseconds", 1e3), ("nanoseconds", 1e6)):
            if abs(seed - time_ms * scale) <= window * 1000 * scale:
                return f"the clock in {unit}"
    return ""


def _small(seed: int) -> str:
    if seed < 1 << 10:
        return "a small number"
    if seed < 1 << 15:
        return "of 15 bits, as a shell's $RANDOM gives"
    return f"of {seed.bit_length()} bits"
