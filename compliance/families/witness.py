"""WIT: what the round's witness was told of the runs, while they were made."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, zip_longest

from compliance.finding import Fault, among, show
from compliance.reading.files import SubmissionFiles
from compliance.reading.place import SetPlace
from compliance.reading.rounds import key_of
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.witness import (
    Point,
    Receipts,
    chain_of,
    names_witness,
    points,
    receipts_of,
    superseded,
    unsound,
)
from compliance.rule import RUN, rule
from rules.names import folded
from rules.witness import EVALUATION, RUN_START, RUN_STOP, Receipt, Start, Step

REACHED = {
    "": "never began to train",
    RUN_START: "broke off before an evaluation",
    EVALUATION: "broke off after an evaluation",
    RUN_STOP: "ended",
}
Told = tuple[int, Receipt, Step]  # a step that was told: the line of its receipt, the receipt, and the step


@rule("WIT01", "set", on=RUN)
def runs_have_receipts(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    held = _held(runs, terms)
    required = terms.edition.limits.witness == "required" or any(map(names_witness, runs)) or bool(held)
    missing = [run for run in runs if required and run.path not in held]
    if missing:
        found = f"no receipts of the round's witness{among(missing, runs)}"
        yield Fault(1, found, "receipts_<i>.jsonl beside each log", path=missing[0].path)
    for receipts in held.values():
        if receipts.wrong:
            line = len(receipts.receipts) + 1
            yield Fault(line, receipts.wrong.found, receipts.wrong.wanted, path=receipts.path)
        elif receipts.start is None:
            yield Fault(1, "no receipt of a start", "that of the run's start first", path=receipts.path)


@rule("WIT02", "set", after=("WIT01",), on=RUN)
def receipts_are_signed(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    edition = terms.edition
    for receipts in _held(runs, terms).values():
        for line, receipt in enumerate(receipts.receipts, 1):
            if why := unsound(receipt, edition.name, edition.limits.witness_key):
                yield Fault(line, why, f"a receipt of the witness of {edition.name}", path=receipts.path)
                break


@rule("WIT03", "set", after=("WIT02", "RUN04", "RUN08", "RUN09"), on=RUN)
def receipts_are_of_the_run(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    first: dict[str, Run] = {}
    for run, receipts, start in _witnessed(runs, terms):
        own = (place.runs.place.org, place.runs.system, run.benchmark, run.problem)
        if start.key != key_of(*own):
            yield Fault(1, f"a start of {start.title}", ", ".join(map(str, own)), path=receipts.path)
        if start.log != run.file.name:
            yield Fault(1, f"a start of {start.log}", run.file.name, path=receipts.path)
        if (other := first.setdefault(start.run, run)) is not run:
            yield Fault(1, f"the start of {other.path}", "a start of its own", path=receipts.path)
        for key, told in (("source", start.source), ("config_digest", start.config)):
            if run.value(key) != told:
                wanted = f"{told}, as the witness was told"
                yield Fault(run.line(key), f"{key} {show(run.value(key))}", wanted, path=run.path)
        line, seed = run.seeds[0] if run.seeds else (1, None)
        if seed != (wanted_seed := receipts.receipts[0].seed):
            yield Fault(line, f"seed {seed}", f"{wanted_seed}, which follows from the receipt", path=run.path)


@rule("WIT04", "set", after=("WIT03",), on=RUN)
def receipts_are_of_the_log(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, receipts, start in _witnessed(runs, terms):
        pairs = zip_longest(points(run), receipts.steps)
        faults = (_difference(n, point, told, start, run, receipts) for n, (point, told) in enumerate(pairs, 1))
        yield from islice(filter(None, faults), 1)


def _difference(
    number: int, point: Point | None, told: Told | None, start: Start, run: Run, receipts: Receipts
) -> Fault | None:
    """Return how an event of a log differs from step `number` that the witness was told, None if it doesn't."""
    if told is None:
        if point is None:
            return None
        found = f"{point.kind}, of which the witness was not told"
        return Fault(point.line, found, f"a receipt of step {number} in {receipts.path}", path=run.path)
    line, _, step = told
    if (step.run, step.step) != (start.run, number):
        found = f"step {step.step} of run {step.run}"
        return Fault(line, found, f"step {number} of run {start.run}", path=receipts.path)
    if point is None:
        return Fault(line, f"{step.kind}, which is not in the log", "the whole log", path=receipts.path)
    if (step.kind, step.bytes, step.digest) != (point.kind, point.bytes, point.digest):
        found = f"another log up to this {point.kind} than the one of which the witness was told"
        wanted = f"one that has the sha256 {step.digest} up to byte {step.bytes}, its {step.kind}"
        return Fault(point.line, found, wanted, path=run.path)
    return None


@rule("WIT05", "set", after=("WIT04", "CLK01"), on=RUN)
def clocks_agree(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    slack, begin = terms.edition.limits.clock.witness_slack, terms.edition.limits.clock.witness_begin
    for run, receipts, _ in _witnessed(runs, terms):
        if run.init and run.init.time_ms is not None:
            waited = (run.init.time_ms - receipts.receipts[0].time_ms) / 1000
            if waited > begin:
                found = f"init_start {waited:.3f} s after the start was told, which gave the seed away"
                yield Fault(run.init.line, found, f"at most {begin:g} s", path=run.path)
            if waited < -slack:
                found = f"init_start {-waited:.3f} s before the start was told"
                yield Fault(run.init.line, found, f"at most {slack:g} s, for clocks that differ", path=run.path)
        yield from _apart(run, receipts, slack)


def _apart(run: Run, receipts: Receipts, slack: float) -> Iterator[Fault]:
    """Yield a fault for events whose time is further from that of their receipt than the slack, in seconds: for the
    first that was told before it happened, and for all that were told late."""
    pairs = zip(points(run), receipts.steps, strict=False)  # WIT04 says where one of them lacks something
    told = [(point, (receipt.time_ms - point.time_ms) / 1000) for point, (_, receipt, _) in pairs]
    early, late = ([(p, s) for p, s in told if s < -slack], [(p, s) for p, s in told if s > slack])
    for point, seconds in early[:1]:
        found = f"{point.kind} {-seconds:.3f} s after the witness was told of it"
        yield Fault(point.line, found, f"at most {slack:g} s, for clocks that differ", path=run.path)
    if late:
        point, seconds = max(late, key=lambda one: one[1])
        found = f"{len(late)} of {len(told)} events of which the witness was told late, {point.kind} by {seconds:.3f} s"
        yield Fault(late[0][0].line, found, f"at most {slack:g} s", path=run.path, severity="review")


@rule("WIT06", "submission")
def chain_has_the_receipts(files: SubmissionFiles) -> Iterator[Fault]:
    chain, edition = chain_of(files.submission, files.edition), files.edition
    if chain is None:
        return
    if chain.damage:
        line, why = chain.damage
        yield Fault(line, why, "the chain as the witness has it", "The published chain is damaged", path=chain.path)
        return
    for receipts in filter(None, map(receipts_of, files.runs)):
        for line, receipt in enumerate(receipts.receipts, 1):
            if receipt.sha256 not in chain.held and not unsound(receipt, edition.name, edition.limits.witness_key):
                yield Fault(line, "a receipt that is not in the chain", chain.path, path=receipts.path)
                break


@rule("WIT07", "submission", severity="review", after=("WIT06",))
def starts_were_handed_in(files: SubmissionFiles) -> Iterator[Fault]:
    chain = chain_of(files.submission, files.edition)
    told = {run.path: receipts_of(run) for run in files.runs}
    faulty = any(r.start is None if (r := told[run.path]) else names_witness(run) for run in files.runs)
    if chain is None or faulty:  # WIT01 says so
        return
    kept = {receipts.start.run for receipts in told.values() if receipts and receipts.start}
    own = [start for start in chain.starts if folded(start.organisation) == folded(files.submission.org)]
    others, aside = [start for start in own if start.run not in kept], superseded(files.submission)
    if others:
        fates = Counter(f"{REACHED[chain.last[s.run]]}{' (superseded/)' * (s.run in aside)}" for s in others)
        counts = ", ".join(f"{count} {fate}" for fate, count in fates.items())
        found = f"{len(own)} starts, of which {len(own) - len(others)} are handed in: {counts}"
        yield Fault(1, found, "no others, or a reason for each")


def _held(runs: list[Run], terms: Terms) -> dict[str, Receipts]:
    """Return the receipts of runs by the path of the log; {} in an edition without a witness."""
    if terms.edition.limits.witness == "none":
        return {}
    return {run.path: receipts for run in runs if (receipts := receipts_of(run))}


def _witnessed(runs: list[Run], terms: Terms) -> Iterator[tuple[Run, Receipts, Start]]:
    """Yield the runs that have receipts, with these and what was told of their start."""
    held = _held(runs, terms)
    for run in runs:
        receipts = held.get(run.path)
        if receipts and receipts.start:
            yield run, receipts, receipts.start
