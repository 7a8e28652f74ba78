"""RUN, SYS, TREE: runs, systems and organisations compared with each other."""

import functools
from collections import defaultdict
from collections.abc import Iterator

from compliance.checks.runs import PLACEHOLDER
from compliance.finding import Fault, show
from compliance.reading.across import Across
from compliance.reading.files import SubmissionFiles
from compliance.reading.nearness import Near
from compliance.reading.place import SetPlace
from compliance.reading.run import Run
from compliance.reading.terms import Terms
from compliance.reading.tree import WEAK, place_of
from compliance.rule import CHECKS, RUN, rule
from rules.names import folded, same_name
from rules.permutation import MOST_RUNS, permutation_p


@rule("RUN20", "round")
def no_evaluations_are_copies(across: Across) -> Iterator[Fault]:
    """No evaluation has the counts of one of another run, or nearly: no two trainings come so close"""
    for near in across.near:
        severity = across.severity(near.run, near.first) or ("" if near.copied else "review")
        wanted = "counts of its own"
        found = f"{_closeness(near)} of line {near.first_line} of {near.first.path}"
        yield Fault(near.line, found, wanted, path=near.run.path, severity=severity)
        if across.strangers(near.run, near.first):
            found = f"{_closeness(near)} of line {near.line} of {near.run.path}"
            yield Fault(near.first_line, found, wanted, path=near.first.path, severity=severity)


@rule("RUN21", "round")
def no_runs_share_a_system(across: Across) -> Iterator[Fault]:
    """Runs on one system come one after another: no two overlap in time"""
    place = functools.cache(place_of)
    systems: dict[object, list[Run]] = defaultdict(list)
    for run in across.runs:
        at = place(run.file.parent)
        if _occupies(run) and run.path not in across.copies and at.scaling != WEAK:
            systems[at.home, at.system].append(run)
    for runs in systems.values():
        last: Run | None = None  # of the earlier runs, the one that ends last
        for run in sorted(runs, key=lambda r: (r.window, r.path)):
            limit = across.edition(run).limits.clock.overlap
            shared = (min(last.window[1], run.window[1]) - run.window[0]) / 1000 if last else 0.0
            if shared > limit and not _same_campaign(last, run):
                found = f"{shared:.3f} s at the same time as {last.path}"
                yield Fault(run.start.line, found, f"at most {limit:g} s", path=run.path)
            if last is None or run.window[1] > last.window[1]:
                last = run


@rule("RUN22", "set", severity="review", after=("RUN09",), on=RUN)
def epochs_are_not_surprisingly_few(runs: list[Run], place: SetPlace, terms: Terms) -> Iterator[Fault]:
    """The set needs no fewer epochs than the reference's runs of the same batch size"""
    limits, named = terms.edition.limits.convergence, runs[0].problem if runs else None
    problem, batch = terms.edition.problems.get(named or ""), runs[0].value("global_batch_size") if runs else None
    point = problem.reference_epochs.get(batch) if problem and type(batch) is int else None
    if limits is None or point is None:
        return
    own = [(epochs, run) for run in runs if not run.pruned and (epochs := epochs_of(run)) and epochs > 0]
    for epochs, run in own:
        if epochs < point.fewest:
            wanted = f"{point.fewest:g} or more, the fewest of {point.runs} runs of the reference"
            yield Fault(run.passing.line, f"{epochs:g} epochs to the target", wanted, path=run.path)
    if own and len(own) + point.runs <= MOST_RUNS:
        p = permutation_p([epochs for epochs, _ in own], point.epochs)
        if p < limits.surprise:
            mean = sum(epochs for epochs, _ in own) / len(own)
            found = f"{mean:.2f} epochs on average, p = {p:.4f}"
            yield Fault(1, found, f"p of {limits.surprise:g} or more next to the reference's {point.mean:.2f}")


@rule("SYS09", "submission")
def submitter_is_the_folder(files: SubmissionFiles) -> Iterator[Fault]:
    """A system description's submitter is the organisation that the submission's folder names"""
    org, logged = files.submission.org, {folded(run.value("submission_org")) for run in files.runs}
    for description in files.descriptions.values():
        submitter = (description.data or {}).get("submitter")
        named = type(submitter) is str and submitter.strip() and PLACEHOLDER not in submitter.upper()
        if named and not same_name(submitter, org):
            place = files.submission.place(*description.parts)
            if logged == {folded(submitter)}:  # the folder was renamed
                wanted = f"{show(submitter)}, as in {'/'.join(description.parts)} and all logs"
                yield Fault(1, f"the folder {show(org)}", wanted, path=files.submission.name)
            else:
                yield Fault(description.line_of("submitter"), f"submitter {show(submitter)}", show(org), path=place)


@rule("TREE12", "round")
def names_differ_by_more_than_spelling(across: Across) -> Iterator[Fault]:
    """The names of organisations, and of an organisation's systems, differ by more than case and punctuation"""
    place = functools.cache(place_of)
    orgs: dict[object, dict[object, Run]] = defaultdict(dict)
    systems: dict[object, dict[object, Run]] = defaultdict(dict)
    for run in across.runs:
        at = place(run.file.parent)
        if at.org:
            orgs[at.home.parent, spelling(at.org)].setdefault(at.org, run)
            systems[at.home, spelling(at.system)].setdefault(at.system, run)
    for what, groups in (("organisation", orgs), ("system", systems)):
        for names in groups.values():
            (first, one), *others = names.items()
            for name, run in others:
                wanted = "names that nobody mistakes for each other"
                yield Fault(1, f"{what} {show(name)} beside {show(first)}", wanted, path=run.path)
                yield Fault(1, f"{what} {show(first)} beside {show(name)}", wanted, path=one.path)


def _occupies(run: Run) -> bool:
    """Return whether a run occupies its system from start to stop, by a clock without errors."""
    wrong = any(code.startswith("CLK") and CHECKS[code].severity == "error" for code in run.codes)
    return run.window is not None and not (wrong or run.throughput_only or run.resumed or run.pruned)


def _same_campaign(one: Run, other: Run) -> bool:
    """Return whether two runs are trials of one campaign of tuning. These may run at once; TUN06 checks them."""
    return one.file.parent == other.file.parent and bool(place_of(one.file.parent).campaign)


def spelling(name: str) -> str:
    """Return a name without case, spaces and punctuation; the name itself if nothing else is left."""
    return folded(name) or name


def epochs_of(run: Run) -> float | None:
    """Return the epochs that a run trained up to the evaluation that met its target, None if none did."""
    if run.passing is None or run.passing.epoch is None:
        return None
    return run.passing.epoch + run.shift


def _closeness(near: Near) -> str:
    """Return in words how near an evaluation is to another."""
    if near.equal == near.count:
        return "the counts"
    return f"{near.equal} of {near.count} counts, and {near.distance:.6g} in all from those"
