"""TREE: the layout of a submission, and files that have no place in it."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmark.config import suggest
from benchmark.run.files import LEDGER, WEIGHTS
from benchmark.tree import CONFIRMATION, ENVIRONMENT, RECEIPTS, SUPERSEDED, TUNING
from benchmark.tuning.campaign import FILE as CAMPAIGN
from compliance.finding import Fault, show
from compliance.reading.across import Across
from compliance.reading.edition import round_folder
from compliance.reading.files import SubmissionFiles
from compliance.reading.rounds import NAME, changes, read_frozen
from compliance.reading.run import Run
from compliance.reading.tree import LOG, Entry, Submission, is_tuning, place_of
from compliance.reading.weights import in_folder
from compliance.rule import rule
from compliance.safe import printable
from rules.edition import Edition
from rules.names import folded

SOURCES = ("source", "benchmarks")  # folders of source: this project's, and MLPerf HPC's
LIKE_A_LOG = re.compile(r"(?i)^result.*\.(txt|log|out)$")
PARAMETERS = re.compile(
    r"(?i)^(scaling\.json|package_checker_params|rcps?_.*\.json|.*checker.*|limits\.ya?ml|waivers?\..*)$"
)
DOCUMENTS = re.compile(
    r"(?i)^((readme|license|notice|changelog|code_of_conduct|contributing)(\..*)?|.*\.(md|rst|pdf)|\.git(ignore|keep|attributes))$"
)
WRITTEN = "a list that results/freeze.py wrote"


@rule("TREE01", "tree")
def logs_lie_where_they_belong(submission: Submission, edition: Edition) -> Iterator[Fault]:
    scalings = edition.limits.scalings
    wanted = f"results/<system>/<{'|'.join(scalings)}>/<benchmark>" if scalings else "results/<system>/<benchmark>"
    for runs in submission.sets:
        parts = runs.path.relative_to(submission.path).parts[1:]
        tuning = runs.place.campaign and TUNING in scalings
        known = not scalings or parts[1:2] in [(name,) for name in scalings if name != TUNING]
        if not tuning and not (known and len(parts) == (3 if scalings else 2)):
            yield Fault(1, "/".join(("results", *parts)), wanted, path=runs.name)


@rule("TREE02", "tree")
def benchmark_folders_are_known(submission: Submission, edition: Edition) -> Iterator[Fault]:
    for parts in _set_folders(submission, edition):
        if parts[-1] not in edition.benchmarks:
            wanted = f"one of {', '.join(edition.benchmarks)}{suggest(parts[-1], edition.benchmarks)}"
            yield submission.fault(parts, f"benchmark {show(parts[-1])}", wanted)


@rule("TREE03", "tree", severity="warning")
def files_have_a_place(submission: Submission, edition: Edition) -> Iterator[Fault]:
    logs = {entry.parts for entry, _ in submission.strays}  # TREE09 names these
    for entry in submission.entries:
        told = entry.parts in logs or _misnamed(entry) or PARAMETERS.match(entry.parts[-1])  # by another rule
        if entry.kind == "file" and not told and not _placed(entry, edition):
            yield submission.fault(entry.parts, "", "")


@rule("TREE04", "tree", severity="warning")
def parameter_files_are_ignored(submission: Submission, edition: Edition) -> Iterator[Fault]:
    for entry in submission.entries:
        if entry.kind == "file" and PARAMETERS.match(entry.parts[-1]) and entry.parts[0] not in SOURCES:
            yield submission.fault(entry.parts, entry.parts[-1], "none: the rules' own numbers count")


@rule("TREE05", "tree")
def entries_are_files_and_folders(submission: Submission, edition: Edition) -> Iterator[Fault]:
    kinds = {"link": "a symbolic link", "special": "a pipe, socket or device", "unreadable": "not readable"}
    for entry in submission.entries:
        name = entry.parts[-1]
        odd = "" if name.isprintable() else f"the name {printable(name)}"
        if found := kinds.get(entry.kind, odd):
            yield submission.fault(entry.parts, found, "a file or a folder")


@rule("TREE06", "tree")
def logs_are_named_by_number(submission: Submission, edition: Edition) -> Iterator[Fault]:
    for entry in submission.entries:
        if entry.kind == "file" and _misnamed(entry):
            yield submission.fault(entry.parts, entry.parts[-1], "result_<i>.txt")


@rule("TREE07", "tree")
def submission_can_be_walked(submission: Submission, edition: Edition) -> Iterator[Fault]:
    if submission.cut:
        yield Fault(1, f"more than {len(submission.entries)} files and folders", "fewer", "Could not look further")


@rule("TREE08", "tree", after=("TREE05", "TREE06"))
def folders_of_results_hold_logs(submission: Submission, edition: Edition) -> Iterator[Fault]:
    if submission.prepared:  # the report lists it under "could not look"
        return
    held = {runs.path.relative_to(submission.path).parts for runs in submission.sets}
    held |= {entry.parts[:-1] for entry, _ in submission.strays}  # TREE09 names the logs in these
    above = {parts[:4] for parts in held}
    for parts in _set_folders(submission, edition):
        inside = parts[2] == TUNING and parts in above
        if parts not in held and not inside:
            yield submission.fault(parts, "no log", "logs named result_<i>.txt")
    if not any(e.parts[0] == "results" for e in submission.entries):
        yield Fault(1, "no results", "logs below results/")


@rule("TREE09", "tree")
def log_lines_are_of_sets(submission: Submission, edition: Edition) -> Iterator[Fault]:
    known = edition.limits.ledger != "none"  # LED10 checks superseded logs
    aside = [log.file.relative_to(submission.path).parts for runs in submission.sets for log in runs.superseded]
    for entry, line in (*submission.strays, *((submission.at[parts], 1) for parts in aside if not known)):
        if not _misnamed(entry):  # TREE06 names it
            found = f"the events of a log, from line {line}"
            wanted = "logs in folders of sets alone, as result_<i>.txt"
            yield submission.fault(entry.parts, found, wanted, line)


def _set_folders(submission: Submission, edition: Edition) -> list[tuple[str, ...]]:
    depth = 4 if edition.limits.scalings else 3
    sets = {runs.path.relative_to(submission.path).parts for runs in submission.sets}
    found = (e.parts for e in submission.entries if len(e.parts) == depth and e.kind == "folder")
    return [p for p in found if p[0] == "results" and p[-1] != "power" and p[:-1] not in sets]


def _misnamed(entry: Entry) -> bool:
    parts, name = entry.parts, entry.parts[-1]
    logs = parts[0] == "results" and "power" not in parts
    return logs and bool(LIKE_A_LOG.match(name)) and not LOG.match(name)


def _placed(entry: Entry, edition: Edition) -> bool:
    parts = entry.parts
    if DOCUMENTS.match(parts[-1]) or parts[0] in SOURCES:
        return True
    if parts[0] == "systems":
        return len(parts) == 2 and parts[1].endswith(".json")
    if parts[0] != "results":
        return False
    if edition.limits.weights and in_folder(parts):
        return True  # WGT07 names what no log names
    if edition.limits.environment and ENVIRONMENT.match(parts[-1]):
        return len(parts) > 3  # ENV10 names what no log names
    if edition.limits.witness != "none" and RECEIPTS.match(parts[-1]):
        return len(parts) > 3
    if SUPERSEDED in parts:  # logs of a set that were repeated, and their weights
        kept = bool(LOG.match(parts[-1])) or (parts[-2] == WEIGHTS and parts[-1].endswith(".safetensors"))
        return edition.limits.ledger != "none" and kept
    tuning = TUNING in edition.limits.scalings and is_tuning(parts[1:-1])
    if parts[-1] == CAMPAIGN:
        return tuning and parts[-2] != CONFIRMATION
    if parts[-1] == LEDGER:  # beside the logs of a set
        return edition.limits.ledger != "none" and (tuning or len(parts) == 5)
    return bool(LOG.match(parts[-1])) or "power" in parts


@rule("TREE13", "submission")
def frozen_rounds_stay_as_they_were(files: SubmissionFiles) -> Iterator[Fault]:
    submission = files.submission
    folder = round_folder(submission, files.edition.name)
    if folder is None:
        return
    try:
        frozen = read_frozen(folder)
    except ValueError as error:
        yield Fault(1, str(error), WRITTEN, "Whether the submission is what was frozen can't be told")
        return
    if frozen is None:
        return
    prefix = f"{submission.path.resolve().relative_to(folder).as_posix()}/"
    own = {path.removeprefix(prefix): said for path, said in frozen.items() if path.startswith(prefix)}
    held = {"/".join(e.parts): e for e in submission.entries if e.kind == "file"}
    there = {path: (submission.path.joinpath(*e.parts), e.size) for path, e in held.items()}
    for path, what in changes(there, own):
        place = submission.place(*path.split("/")) if path in there else submission.name
        yield Fault(1, f"a file that was {what}" if path in there else f"no {path}", f"what {NAME} lists", path=place)


@rule("TREE12", "round")
def names_differ_by_more_than_spelling(across: Across) -> Iterator[Fault]:
    place = functools.cache(place_of)
    alike: dict[tuple[str, Path, str], dict[str, Run]] = defaultdict(dict)
    for run in across.runs:
        at = place(run.file.parent)
        if at.org:
            alike["organisation", at.home.parent, spelling(at.org)].setdefault(at.org, run)
            alike["system", at.home, spelling(at.system)].setdefault(at.system, run)
    for (what, *_), names in alike.items():
        (first, one), *others = names.items()
        for name, run in others:
            wanted = "names that nobody mistakes for each other"
            yield Fault(1, f"{what} {show(name)} beside {show(first)}", wanted, path=run.path)
            yield Fault(1, f"{what} {show(first)} beside {show(name)}", wanted, path=one.path)


def spelling(name: str) -> str:
    """Return a name without case, spaces and punctuation; the name itself if nothing else is left."""
    return folded(name) or name
