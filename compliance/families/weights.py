"""WGT: the final weights of a run are those that its log names, are sound, and belong to no other run."""

import math
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmark.log import open_regular
from benchmark.run.files import weights_path
from compliance.finding import Fault, show, why
from compliance.reading.across import Across
from compliance.reading.digest import Named, file_fault, is_sha256
from compliance.reading.files import SubmissionFiles
from compliance.reading.log import Log
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.reading.values import Unsound
from compliance.reading.weights import KEY, contents, digest_of, file_of, in_folder, not_finite, read_tensors
from compliance.rule import CONFIRMATION, RUN, hides, rule

POINTER = b"version https://git-lfs"  # how a pointer of Git LFS begins (github.com/git-lfs/git-lfs, docs/spec.md)
MOST_OF_A_POINTER = 1024  # bytes


@rule("WGT01", "log", after=("CLK01",), reads=("weights",))
def weights_are_named(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first(KEY)
    if event is None:
        return
    if fault := file_fault(event, file_of(log.path)):
        yield Fault(event.line, *fault)
    elif time.stop and event.line < time.stop.line:
        yield Fault(event.line, f"before run_stop of line {time.stop.line}", "after it")


@rule("WGT09", "log", after=("CLK01", "EVL02"))
def states_are_logged(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    first: dict[str, int] = {}  # line by state
    events = log.all(terms.metric) if terms.metric else []
    having = [event for event in events if metadata(event, "state") is not None]
    for event in events if having else ():
        state, epoch = metadata(event, "state"), metadata(event, "epoch_num")
        if state is None:
            between = type(epoch) is float and not epoch.is_integer()  # evaluations within an epoch have none
            if event is not events[-1] and not between:
                yield Fault(event.line, "no state", f"one, as in {len(having)} of {len(events)} evaluations")
        elif not is_sha256(state):
            yield Fault(event.line, f"state {show(state)}", "a sha256 of 64 hexadecimal digits")
        elif first.setdefault(state, event.line) != event.line:
            yield Fault(event.line, f"the state of line {first[state]}", "another one after every epoch")


@rule("WGT02", "set")
def weights_are_small_enough(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits = terms.edition.limits.weights
    for run in runs:
        if run.weights and limits and run.weights.size > limits.largest and weights_path(run.file).exists():
            found = f"a file of {run.weights.size} bytes, by the log"
            yield Fault(1, found, f"at most {limits.largest} bytes, or no file", path=run.weights.beside(run.path))


@rule("WGT03", "set", reads=("weights",), on=RUN | CONFIRMATION)
def weights_are_handed_in(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits, reached = terms.edition.limits.weights, [run for run in runs if run.converged]
    having = [run for run in reached if KEY in run.facts]
    required = bool(limits and limits.use == "required")
    if required or having:
        wanted = "the digest of its weights" + ("" if required else f", as in {len(having)} of {len(reached)} runs")
        for run in reached:
            if KEY not in run.facts:
                severity = "" if required else "review"
                yield Fault(run.stop_line, "no event weights", wanted, path=run.path, severity=severity)


@rule("WGT04", "set")
def weights_are_the_logged_ones(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, path, named in _files(runs, place, terms):
        wanted = f"{named.size} bytes with the sha256 {named.digest}, as logged in {run.path}"
        try:
            size, digest = digest_of(path, named.size)
        except OSError as error:
            yield Fault(1, why(error), wanted, path=named.beside(run.path))
            continue
        if (size, digest) != (named.size, named.digest):
            owner = next((r.path for r in runs if digest and r.weights and r.weights.digest == digest), None)
            said = f" with the sha256 {digest}" if digest else ""
            said += f", those of {owner}" if owner else ""
            said += ", a pointer of Git LFS: the weights were never fetched" if _is_pointer(path, size) else ""
            yield Fault(1, f"{size} bytes{said}", wanted, path=named.beside(run.path))


def _is_pointer(path: Path, size: int) -> bool:
    """Return whether a file is what Git LFS leaves in place of one that was not fetched."""
    if size > MOST_OF_A_POINTER:
        return False
    with open_regular(path) as file:
        return file.read(len(POINTER)) == POINTER


@rule("WGT05", "set", after=("WGT04",))
def weights_are_sound(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, path, named in _files(runs, place, terms):
        try:
            if odd := not_finite(path):
                found = f"{odd[1]} numbers of tensor {odd[0]!r} that are NaN or infinite"
                yield Fault(1, found, "finite ones", path=named.beside(run.path))
        except OSError:
            continue  # WGT04 says so
        except Unsound as error:
            yield Fault(1, error.found, error.wanted, path=named.beside(run.path))


@rule("WGT06", "set", after=("WGT05",))
def weights_are_of_the_model(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for run, path, named in _files(runs, place, terms):
        parameters, published = run.value("parameter_count"), terms.edition.problems.get(run.problem or "")
        if type(parameters) is not int or published is None:  # LOG06 and LOG12 say so
            continue
        try:
            found, closed = sum(tensor.size for tensor in read_tensors(path)), run.division == "closed"
        except (OSError, Unsound):
            continue  # WGT04 and WGT05 say so
        wanted = parameters + (published.buffer_count if closed else 0)
        if found != wanted if closed else found < wanted:
            more = "" if closed else " or more"
            yield Fault(1, f"{found} numbers", f"{wanted}{more}", path=named.beside(run.path))
    yield from _too_few_bytes(runs, place, terms)


def _too_few_bytes(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """Yield a fault for each run whose file is not there and, as its log says, can't hold its parameters."""
    limits, held = terms.edition.limits.weights, {run.path for run, *_ in _files(runs, place, terms)}
    for run in runs:
        parameters = run.value("parameter_count")
        if run.weights and limits and type(parameters) is int and run.path not in held:
            least = math.ceil(limits.parameter_bytes * parameters)
            if run.weights.size < least:
                wanted = f"at least {least}, for {parameters} parameters"
                yield Fault(run.weights.line, f"weights of {run.weights.size} bytes", wanted, path=run.path)


@rule("WGT07", "submission")
def weights_are_of_runs(files: SubmissionFiles) -> Iterator[Fault]:
    known = {weights_path(run.file) for run in files.runs if KEY in run.facts or hides(run.broken, KEY)}
    for entry in files.submission.entries:
        held = entry.kind == "file" and in_folder(entry.parts)
        if held and files.submission.path.joinpath(*entry.parts) not in known:
            wanted = "the file of weights that a log beside the folder names"
            yield files.submission.fault(entry.parts, entry.parts[-1], wanted)


@rule("WGT08", "round")
def weights_are_of_one_run(across: Across) -> Iterator[Fault]:
    digests: dict[str, Run] = {}
    tensors: dict[str, Run] = {}  # sha256 of a tensor -> the first run that has it
    for run in across.runs:
        limits = across.edition(run).limits.weights
        if not run.weights or not limits or run.path in across.copies:  # RUN05 names equal logs
            continue
        first = digests.setdefault(run.weights.digest, run)
        if first is not run:
            yield from _shared(across, run, first, "the digest of the weights")
        elif run.weights.size <= limits.largest:
            held, equal = _contents(run), Counter[str]()
            for digest, count in held.items():
                if (other := tensors.setdefault(digest, run)) is not run:
                    equal[other.path] += count
            if equal.total() > limits.shared * sum(held.values()):
                path = max(equal, key=equal.__getitem__)
                other = next(one for one in tensors.values() if one.path == path)
                what = f"{equal.total()} of {sum(held.values())} numbers, bit for bit,"
                yield from _shared(across, run, other, what)


def _shared(across: Across, run: Run, first: Run, what: str) -> Iterator[Fault]:
    """Yield a fault for the later of two runs; for both if they are of different submissions."""
    for one, other in across.concerned(run, first):
        line, wanted = one.weights.line if one.weights else 1, "other weights: one is a copy of the other"
        yield Fault(line, f"{what} of {other.path}", wanted, path=one.path)


def _contents(run: Run) -> dict[str, int]:
    """Return the tensors of a run's file by digest, {} if it can't be read or is not the logged one."""
    path, named = weights_path(run.file), run.weights
    try:
        return contents(path) if named and digest_of(path, named.size) == (named.size, named.digest) else {}
    except (OSError, Unsound):  # WGT04 and WGT05 say so
        return {}


def _files(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[tuple[Run, Path, Named]]:
    """Yield (run, path, weights as logged) of each file within the limit that is there or must be. Confirmation runs
    may leave theirs out, and so may a whole set if the edition does not require weights."""
    limits = terms.edition.limits.weights
    if limits is None:
        return
    named = [(run, weights_path(run.file), run.weights) for run in runs if run.weights]
    small = [one for one in named if one[2].size <= limits.largest]
    there = [one for one in small if os.path.lexists(one[1])]
    optional = place.runs.place.confirmation or (limits.use == "optional" and not there)
    yield from there if optional else small
