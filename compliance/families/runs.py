"""RUN: a set has the right number of runs, all of one system, one code and one problem, and none is a copy."""

import functools
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from operator import itemgetter
from statistics import mode

from compliance.families.environment import apart
from compliance.finding import Fault, among, counted, listed, show
from compliance.reading.across import Across, Replay
from compliance.reading.epochs import needed
from compliance.reading.files import number_of
from compliance.reading.log import Log
from compliance.reading.nearness import Near
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline
from compliance.reading.tree import WEAK, place_of
from compliance.reading.values import is_number
from compliance.rule import CHECKS, CONFIRMATION, RUN, RUNS, STEPS, hides, rule
from rules.edition import Edition
from rules.fewest import RUNS as RUNS_OF_A_POINT
from rules.fewest import allowed, average
from rules.names import same_name
from rules.reference import ReferencePoint, neighbours

FIRST_NUMBERS = (0, 1)
MOST_SHOWN = 20  # numbers that a finding lists
IDENTITY = ("submission_org", "submission_platform", "submission_benchmark")
PLACEHOLDER = "PLACEHOLDER"
FEWEST_FIGURES = 2  # that two runs have in common
MOST_REPLAYS = 10  # replays of a set that a finding lists


@rule("RUN01", "set", runs="every", after=("THR03", "TREE06"), on=RUN)
def set_has_its_runs(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    kept = [r for r in runs if not r.pruned]
    if place.runs.scaling == "weak":
        if len(runs) < terms.edition.limits.weak_runs:
            says = f"The set has {counted(len(runs), 'instance')}, {terms.edition.limits.weak_runs} are required"
            yield Fault(1, f"{len(runs)}", f"{terms.edition.limits.weak_runs} or more", says)
    elif len(kept) != terms.benchmark.runs:
        missing = _missing({r.number for r in kept if r.number is not None}, terms.benchmark.runs)
        says = f"The set has {counted(len(kept), 'run')}, {terms.benchmark.runs} are required{_without(missing)}"
        yield Fault(1, f"{len(kept)}", f"{terms.benchmark.runs}", says)


def _without(missing: list[tuple[int, int]]) -> str:
    match missing:
        case []:
            return ""
        case [(first, last)] if first == last:
            return f"; result_{first}.txt is missing"
    return f"; runs {_ranges(missing)} are missing"


def _missing(numbers: set[int], runs: int) -> list[tuple[int, int]]:
    """Return the ranges of numbers that a set lacks, counted from 1 where it has the last such number and no 0."""
    first = 1 if 0 not in numbers and runs in numbers else 0
    ends = sorted(n for n in numbers if first <= n < first + runs)
    return _gaps([first - 1, *ends, first + runs])


def _gaps(numbers: list[int]) -> list[tuple[int, int]]:
    """Return the ranges between numbers in order that are not next to each other."""
    return [(a + 1, b - 1) for a, b in itertools.pairwise(numbers) if b > a + 1]


@rule("RUN02", "set", runs="every", after=("RUN01",), on=RUN | CONFIRMATION | STEPS)
def runs_are_numbered(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    counts = Counter(r.number for r in runs if r.number is not None)
    numbers = sorted(counts)
    if not numbers:
        return
    twice = [(n, n) for n in numbers if counts[n] > 1]
    found = [f"{what} {_ranges(some)}" for what, some in (("no run", _gaps(numbers)), ("twice", twice)) if some]
    if numbers[0] not in FIRST_NUMBERS:
        found.insert(0, f"the first run is {numbers[0]}")
    if found:
        wanted = f"consecutive from {FIRST_NUMBERS[0]} or {FIRST_NUMBERS[1]}"
        yield Fault(1, f"{counts.total()} runs, the last is {numbers[-1]}: {'; '.join(found)}", wanted)


@rule("RUN03", "set", after=("RUN01",), on=RUN)
def few_runs_fail_to_converge(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    broken_off = "CLK01" if terms.edition.limits.unfinished_forgiven else ""
    failed = [r for r in runs if "EVL07" in r.codes or (broken_off in r.codes and r.stop_ms is None)]
    forgiven = terms.benchmark.forgiven
    if place.runs.scaling != "weak" and len(failed) > forgiven:
        for run in failed:
            yield Fault(run.stop_line, f"one of {len(failed)} such runs", f"at most {forgiven}", path=run.path)


@rule("RUN04", "set", on=RUNS | STEPS)
def runs_are_of_one_code(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for key in terms.edition.limits.same_code:
        yield from _odd_ones(runs, key, terms)


@rule("RUN05", "round")
def no_log_is_a_copy(across: Across) -> Iterator[Fault]:
    for run in across.runs:
        if first := across.copies.get(run.path):
            severity = across.severity(run, first)
            for one, other in across.concerned(run, first):
                yield Fault(1, f"the bytes of {other.path}", "a log of its own", path=one.path, severity=severity)


@rule("RUN06", "round")
def no_run_is_a_replay(across: Across) -> Iterator[Fault]:
    for replays in across.by_set():
        told = [f"{r.equal} of {len(r.run.evaluations)} scores of {r.run.file.name}" for r in replays]
        origins = sorted({r.first.path for r in replays})
        severities = {across.severity(r.run, r.first) for r in replays}
        found = f"{listed(told, MOST_REPLAYS)}, as in {listed(origins, 1)}"
        wanted = "other scores: one is a copy of the other"
        severity, says, path = "" if "" in severities else "review", _replayed(replays, across), replays[0].run.path
        yield Fault(replays[0].line, found, wanted, says, path, severity)
        for first in {r.first.path: r for r in replays if across.strangers(r.run, r.first)}.values():
            found = f"{first.equal} scores that {first.run.path} has as well"
            yield Fault(1, found, wanted, path=first.first.path, severity=severity)


def _replayed(replays: list[Replay], across: Across) -> str:
    """Return in words how many runs of a set log the same scores, "" unless they have all scores in common."""
    runs, equal = {r.run.path for r in replays} | {r.first.path for r in replays}, {r.equal for r in replays}
    own = replays[0].run.set_path
    whole = all(r.equal == len(r.run.evaluations) for r in replays)
    if {r.first.set_path for r in replays} != {own} or len(equal) > 1 or not whole:
        return ""
    every = len(runs) == sum(run.set_path == own for run in across.runs)
    names = " and ".join(sorted(run.rpartition("/")[2] for run in runs)) if len(runs) == 2 else f"{len(runs)} runs"
    return f"{'All ' if every and len(runs) > 2 else ''}{names} log the same {counted(equal.pop(), 'evaluation score')}"


@rule("RUN07", "set")
def runs_are_of_one_system(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for key in terms.edition.limits.same_system:
        yield from _odd_ones(runs, key, terms)


@rule("RUN08", "set", on=RUN | CONFIRMATION)
def runs_have_one_configuration(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits, configured = terms.edition.limits, terms.benchmark.configured_keys
    for key in dict.fromkeys((*limits.same_in_set, *configured)):
        if key not in limits.same_system:  # RUN07 looks at those
            yield from _odd_ones(runs, key, terms)


@rule("RUN09", "set")
def runs_are_of_one_problem(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for key in terms.edition.limits.same_problem:
        yield from _odd_ones(runs, key, terms)


@rule("RUN10", "log", gate=True, on=RUNS | STEPS)
def log_is_of_its_folders_benchmark(log: Log, terms: Terms, time: Timeline) -> Iterator[Fault]:
    event = log.first("submission_benchmark")
    known = [terms.folder_benchmark] if terms.folder_benchmark else [*terms.edition.benchmarks]
    if event and event.value not in known:
        yield Fault(event.line, f"submission_benchmark {show(event.value)}", ", ".join(known))


@rule("RUN11", "set", on=RUNS | STEPS)
def organisation_is_the_folders(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    usual = _usual(runs, "submission_org")
    if usual is None or place.submission is None or _is_placeholder(usual.value("submission_org")):
        return
    said, org = usual.value("submission_org"), place.submission.org
    if not any(same_name(said, name) for name in (org, place.described.get("submitter")) if name):
        yield Fault(usual.line("submission_org"), f"submission_org {show(said)}", show(org), path=usual.path)


@rule("RUN12", "set", on=RUNS | STEPS)
def platform_is_the_folders(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    usual = _usual(runs, "submission_platform")
    said = usual.value("submission_platform") if usual else None
    if usual and place.runs.system and not _is_placeholder(said) and not same_name(said, place.runs.system):
        same = [run for run in runs if run.value("submission_platform") == said]
        found = f"submission_platform {show(said)}{among(same, runs)}"
        wanted = f"{show(place.runs.system)}, the name of its folder"
        yield Fault(usual.line("submission_platform"), found, wanted, path=usual.path)


@rule("RUN13", "set", on=RUNS | STEPS)
def division_is_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    yield from _against(runs, place, terms, "submission_division", "division")


@rule("RUN14", "set", on=RUNS | STEPS)
def status_is_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    yield from _against(runs, place, terms, "submission_status", "status")


@rule("RUN15", "set")
def nodes_are_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    if place.runs.scaling != "weak":
        yield from _against(runs, place, terms, "number_of_nodes", "number_of_nodes")


@rule("RUN16", "set")
def accelerators_are_the_descriptions(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    usual, number = _usual(runs, "accelerators_per_node"), number_of(place.described.get("accelerators_per_node"))
    said = usual.value("accelerators_per_node") if usual else None
    if place.runs.scaling == "weak" and is_number(said) and number is not None and 0 < said < number:
        return  # an instance may have some of a node's; THR01 looks at all that run at once
    yield from _against(runs, place, terms, "accelerators_per_node", "accelerators_per_node")


def _odd_ones(runs: list[Run], key: str, terms: Terms) -> Iterator[Fault]:
    """Yield a fault for each run whose value of a key differs from that of most runs, or that lacks an optional key
    that others have. LOG04 names keys that every run must have."""
    usual, optional = _usual(runs, key), key in terms.keys and not terms.keys[key].required
    if usual is None:
        return
    text = _text(usual, key)
    for run in runs:
        if key not in run.facts:
            if optional and not hides(run.broken, key):
                wanted = f"{show(usual.value(key))}, as in the set's other runs"
                yield Fault(1, f"no {key}", wanted, path=run.path)
        elif _text(run, key) != text and run.line(key) not in run.lines:  # one fault is one finding
            found, wanted = apart(run.value(key), usual.value(key))
            yield Fault(run.line(key), f"{key} {found}", f"{wanted}, as in the set's other runs", path=run.path)


@rule("RUN17", "set", on=RUNS | STEPS)
def identity_is_filled_in(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    for key in IDENTITY:
        left = [r for r in runs if _is_placeholder(r.value(key))]
        for first in left[:1]:
            found = f"{key} {show(first.value(key))}{among(left, runs)}"
            yield Fault(first.line(key), found, "its name", path=first.path)


def _is_placeholder(value: object) -> bool:
    return type(value) is str and PLACEHOLDER in value.upper()


def _ranges(ranges: list[tuple[int, int]]) -> str:
    """Return ranges of numbers in words."""
    return listed([str(a) if a == b else f"{a} to {b}" for a, b in ranges], MOST_SHOWN)


def _against(runs: list[Run], place: SetPlace, terms: Terms, key: str, name: str) -> Iterator[Fault]:
    """Yield a fault if the value of most logs differs from a field of the description. RUN07 reports logs that differ
    from each other."""
    usual, value = _usual(runs, key), place.described.get(name)
    known = terms.edition.limits.system_fields.get(name)
    if usual is None or name not in place.described or (type(known) is list and value not in known):
        return  # SYS03 and SYS05 say so
    if not _equal(usual.value(key), value):
        yield place.fault_of(name, show(value), f"{show(usual.value(key))}, as in the logs")


def _equal(said: object, value: object) -> bool:
    if is_number(said):
        number = number_of(value)
        return number is None or number == said
    return type(value) is not str or same_name(said, value)


def _usual(runs: list[Run], key: str) -> Run | None:
    """Return the first run whose value of a key is that of most runs, None if no run has one."""
    told = [(_text(run, key), run) for run in runs if run.value(key) is not None]
    usual = mode(text for text, _ in told) if told else ""
    return next((run for text, run in told if text == usual), None)


def _text(run: Run, key: str) -> str:
    return json.dumps(run.value(key), sort_keys=True)


@rule("RUN20", "round")
def no_evaluations_are_copies(across: Across) -> Iterator[Fault]:
    for near in across.near:
        severity = across.severity(near.run, near.first) or ("" if near.copied else "review")
        lines = {near.run.path: near.line, near.first.path: near.first_line}
        for one, other in across.concerned(near.run, near.first):
            found = f"{_closeness(near)} of line {lines[other.path]} of {other.path}"
            yield Fault(lines[one.path], found, "counts of its own", path=one.path, severity=severity)


@rule("RUN24", "round")
def no_runs_share_figures(across: Across) -> Iterator[Fault]:
    first: dict[float, Run] = {}
    told = across.repeated | {near.run.path for near in across.near}  # by RUN05 and RUN06, and by RUN20
    for run in across.in_order:
        if "RUN24" not in across.edition(run).codes or run.path in told:
            continue
        shared = [(line, first[number]) for line, number in run.figures if number in first]
        if len(shared) >= FEWEST_FIGURES:
            line, other = shared[0]
            found = f"{counted(len(shared), 'figure')} of its epochs to the last digit, as in {other.path}"
            severity = across.severity(run, other)
            yield Fault(line, found, "figures of its own: one is a copy of the other", path=run.path, severity=severity)
        for _, number in run.figures:
            first.setdefault(number, run)


@rule("RUN21", "round")
def no_runs_share_a_system(across: Across) -> Iterator[Fault]:
    place = functools.cache(place_of)
    systems: dict[object, list[tuple[tuple[int, int], str, Run]]] = defaultdict(list)
    for run in across.runs:
        at = place(run.file.parent)
        if run.window and _occupies(run) and run.path not in across.copies and at.scaling != WEAK:
            systems[at.home, at.system].append((run.window, run.path, run))
    for runs in systems.values():
        last: tuple[int, Run] | None = None  # of the earlier runs, the one that ends last, with its end
        for (start, end), path, run in sorted(runs, key=itemgetter(0, 1)):
            limit = across.edition(run).limits.clock.overlap
            shared = (min(last[0], end) - start) / 1000 if last else 0.0
            if last and shared > limit and not _same_campaign(last[1], run):
                found = f"{shared:.3f} s at the same time as {last[1].path}"
                yield Fault(run.start.line if run.start else 1, found, f"at most {limit:g} s", path=path)
            if last is None or end > last[0]:
                last = end, run


@rule("RUN22", "set", severity="review", after=("RUN09", "RUN23"), on=RUN)
def epochs_are_not_surprisingly_few(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits, (kept, batch, points) = terms.edition.limits.convergence, _compared(runs, terms.edition)
    if limits is None or not batch:
        return
    # A larger batch needs no fewer epochs, so the largest one's points serve beyond it.
    served = min(batch, max(points, default=batch))
    near = [points[size] for size in neighbours(points, served)]
    if near and all(point.runs >= RUNS_OF_A_POINT * terms.benchmark.runs for point in near):
        yield from _too_few(kept, points, served, terms, limits.surprise, limits.olympic)
    elif limits.expected and (first := kept[0]).problem in terms.edition.problems:
        found = f"no reference points of {first.problem} that apply to a batch size of {batch}"
        yield Fault(1, found, "a person who judges the number of epochs", path=first.path)


@rule("RUN23", "set", after=("RUN09",), on=RUN)
def epochs_are_no_fewer_than_points_allow(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    limits, (kept, batch, points) = terms.edition.limits.convergence, _compared(runs, terms.edition)
    if limits is not None and batch:
        yield from _too_few(kept, points, batch, terms, limits.chance, limits.olympic)


def _compared(runs: list[Run], edition: Edition) -> tuple[list[Run], int, Mapping[int, ReferencePoint]]:
    """Return the runs that are compared with reference points, their batch size, 0 if there are none, and points."""
    kept = [run for run in runs if not run.pruned and run.division != "open"]
    if not kept:
        return [], 0, {}
    first = kept[0]
    batch = first.value("global_batch_size")
    return kept, batch if type(batch) is int else 0, edition.points(first.benchmark, first.problem)


def _too_few(
    kept: list[Run],
    points: Mapping[int, ReferencePoint],
    batch: int,
    terms: Terms,
    chance: float,
    olympic: bool,
) -> Iterator[Fault]:
    """Yield what an honest set of these runs shows with a `chance`: fewer epochs than the points of a batch allow."""
    required = terms.benchmark.runs
    number = required if olympic else sum(run.converged for run in kept)
    allows = allowed(points, batch, number, required, chance, olympic) if chance else None
    if allows is None:
        return
    mean = average([needed(run, allows.between) for run in kept], olympic, allows.geometric)
    if mean < allows.least:
        where = f"points at a batch size of {' and '.join(map(str, allows.batches))}"
        wanted = f"{allows.least:.3f} or more, as the reference takes {allows.mean:.3f} ({where})"
        kind = "as the geometric mean" if allows.geometric else "on average"
        kind += ", the fewest and the most left out" if olympic else ""
        yield Fault(1, f"{mean:.3f} {terms.benchmark.epoch_num} {kind}", wanted)


def _occupies(run: Run) -> bool:
    """Return whether a run occupies its system from start to stop, by a clock without errors."""
    wrong = any(code.startswith("CLK") and CHECKS[code].severity == "error" for code in run.codes)
    return not (wrong or run.throughput_only or run.resumed or run.pruned)


def _same_campaign(one: Run, other: Run) -> bool:
    """Return whether two runs are trials of one campaign of tuning. These may run at once; TUN06 checks them."""
    return one.file.parent == other.file.parent and bool(place_of(one.file.parent).campaign)


def _closeness(near: Near) -> str:
    """Return in words how near an evaluation is to another."""
    if near.equal == near.count:
        return "the counts"
    return f"{near.count} counts, {near.equal} of them equal, which together differ by {near.distance:.6g} from those"
