"""SEED: each run is seeded with a fresh seed, and with the one that it logs."""

from collections.abc import Iterable, Iterator
from itertools import chain

from compliance.finding import Fault, counted, show
from compliance.reading.across import Across
from compliance.reading.files import SubmissionFiles, Text
from compliance.reading.log import Log
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.reading.values import is_number, seed_of
from compliance.rule import EVERY, rule
from compliance.source.seeds import constants_of, is_constant, settings


@rule("SEED01", "log", after=("LOG03", "RUN10"), reads=("seed",), on=EVERY)
def runs_log_their_seed(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    if not log.first("seed"):
        yield Fault(1, "no event seed", "one")


@rule("SEED02", "log", on=EVERY)
def seeds_are_integers(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.seeds
    for event in log.all("seed"):
        seed = seed_of(event.value)
        if seed is None:
            yield Fault(event.line, f"seed {show(event.value)}", "an integer from 0 on")
        elif limits.sources and seed >> limits.modulus_bits:  # other rounds have no limit
            yield Fault(event.line, f"seed {show(event.value)}", f"an integer below 2^{limits.modulus_bits}")
        elif type(event.value) is str:
            mild = "warning" if terms.edition.limits.tolerant else ""  # MLPerf HPC accepted them
            yield Fault(event.line, f"seed {show(event.value)} as text", "an integer", severity=mild)


@rule("SEED03", "log", after=("SEED02", "SEED04"), on=EVERY)
def seeds_are_fresh(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    limits = terms.edition.limits.seeds
    known = [(e, seed) for e in log.all("seed") if (seed := seed_of(e.value)) is not None]  # SEED02 names the others
    for event, seed in known:
        small = f"of {counted(seed.bit_length(), 'bit')}" if seed.bit_length() < limits.bits else ""
        if kind := _clock(seed, event.time_ms, limits.clock_window) or small:
            wanted = f"one drawn by the operating system, of {limits.bits} bits or more"
            yield Fault(event.line, f"seed {show(event.value)}, {kind}", wanted)


@rule("SEED04", "log", reads=("seed",))
def run_is_no_rehearsal(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    sources = terms.edition.limits.seeds.sources
    for event in log.all("seed"):
        source = metadata(event, "source")
        if sources and source not in sources:
            yield Fault(event.line, f"seed from {show(source)}", " or ".join(sources))


@rule("SEED05", "round")
def no_seed_is_used_twice(across: Across) -> Iterator[Fault]:
    for (run, line, seed), (before, line_before, seed_before) in across.reused_seeds:
        if run.path not in across.repeated and "SEED03" not in run.codes:
            mild = "review" if across.edition(run).name != across.edition(before).name else ""
            same = "as in" if seed == seed_before else "which generators take for the one in"
            logged = {run.path: (line, seed), before.path: (line_before, seed_before)}
            for one, other in across.concerned(run, before):
                at, own = logged[one.path]
                yield Fault(at, f"seed {own}, {same} {other.path}", "a seed of its own", path=one.path, severity=mild)


@rule("SEED07", "round", severity="review")
def seeds_are_unrelated(across: Across) -> Iterator[Fault]:
    for run, how in across.related_seeds:
        if run.path not in across.repeated and "SEED03" not in run.codes:
            line, seed = run.seeds[0]
            yield Fault(line, f"seed {seed}, {how}", "seeds drawn one by one", path=run.path)


@rule("SEED06", "submission")
def source_fixes_no_seed(files: SubmissionFiles) -> Iterator[Fault]:
    logged = logged_seeds(files)
    for texts in files.gathered.values():
        for text, faults in fixed_seeds(files, texts):
            possible = ((line, seed) for line, seed in possible_seeds(files, text) if seed in logged)
            known = ((line, f"{seed}, which {logged[seed]} logs as its seed") for line, seed in possible)
            for line, found in chain(faults, known):
                yield files.submission.fault(text.parts, found, "a seed drawn afresh in every run", line)


def logged_seeds(files: SubmissionFiles) -> dict[int, str]:
    """Return each logged seed with the path of a log. Seeds that SEED03 reports are left out."""
    fresh = [run for run in files.runs if "SEED03" not in run.codes]
    return {seed: run.path for run in reversed(fresh) for _, seed in run.seeds}


def fixed_seeds(files: SubmissionFiles, texts: tuple[Text, ...]) -> Iterator[tuple[Text, list[tuple[int, str]]]]:
    """Yield (file, [(line, text of the call that seeds a generator with a constant)]) for each file of a folder."""
    read = {text: files.python[text.sha256].seeds for text in texts if text.sha256 in files.python}
    constants = constants_of((text.name, text.parts[-2], seeds) for text, seeds in read.items())
    for text in texts:
        fixed = read[text].fixed if text in read else ()
        yield text, [(line, call) for line, call, seed in fixed if is_constant(seed, constants)]


def possible_seeds(files: SubmissionFiles, text: Text) -> Iterable[tuple[int, int]]:
    """Return (line, number) of each number that a file may set a seed to: in defaults, settings or scripts."""
    python = files.python.get(text.sha256) if text.name.endswith(".py") else None
    return python.seeds.possible if python else settings(text.name, text.text)


UNITS = {"seconds": (1000, 1), "milliseconds": (1, 1), "microseconds": (1, 1000), "nanoseconds": (1, 10**6)}


def _clock(seed: int, time_ms: object, window: float) -> str:
    """Return in words the unit in which a seed is the time of the run, "" if in none. `window` is in seconds; 0 turns
    the comparison off."""
    if window and is_number(time_ms):
        for unit, (seeds, milliseconds) in UNITS.items():  # seed * seeds == time * milliseconds, within the window
            if abs(seed * seeds - int(time_ms) * milliseconds) <= int(window * 1000) * milliseconds:
                return f"the clock in {unit}"
    return ""
