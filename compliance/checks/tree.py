"""TREE: the layout of a submission, and files that have no place in it."""

import re
from collections.abc import Iterator

from benchmark.run.files import LEDGER, WEIGHTS
from benchmark.tree import CONFIRMATION, ENVIRONMENT, SUPERSEDED, TUNING
from benchmark.tuning.campaign import FILE as CAMPAIGN
from compliance.finding import Fault, show
from compliance.reading.tree import LOG, Entry, Submission, is_tuning
from compliance.reading.weights import in_folder
from compliance.rule import rule
from compliance.safe import printable
from rules.edition import Edition

SOURCES = ("source", "benchmarks")  # folders of source: this project's, and MLPerf HPC's
LIKE_A_LOG = re.compile(r"(?i)^result.*\.(txt|log|out)$")
PARAMETERS = re.compile(
    r"(?i)^(scaling\.json|package_checker_params|rcps?_.*\.json|.*checker.*|limits\.ya?ml|waivers?\..*)$"
)
DOCUMENTS = re.compile(
    r"(?i)^((readme|license|notice|changelog|code_of_conduct|contributing)(\..*)?|.*\.(md|rst|pdf)|\.git(ignore|keep|attributes))$"
)


@rule("TREE01", "tree")
def logs_lie_where_they_belong(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """Logs lie at results/<system>/<scaling>/<benchmark>/result_<i>.txt, as far as the edition has scalings"""
    scalings = edition.limits.scalings
    for runs in submission.sets:
        parts = runs.path.relative_to(submission.path).parts[1:]
        tuning = bool(runs.place.campaign) and TUNING in scalings
        if not tuning and (
            len(parts) != (3 if scalings else 2) or (scalings and (parts[1] not in scalings or parts[1] == TUNING))
        ):
            wanted = (
                f"results/<system>/<{'|'.join(scalings)}>/<benchmark>" if scalings else "results/<system>/<benchmark>"
            )
            yield Fault(1, "/".join(("results", *parts)), wanted, path=runs.name)


@rule("TREE02", "tree")
def benchmark_folders_are_known(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A folder of results is named for a benchmark of the edition"""
    for parts in _set_folders(submission, edition):
        if parts[-1] not in edition.benchmarks:
            wanted = " or ".join(edition.benchmarks)
            yield Fault(1, f"benchmark {show(parts[-1])}", wanted, path=submission.place(*parts))


@rule("TREE03", "tree", severity="warning")
def files_have_a_place(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A submission holds only files that have a place in it"""
    for entry in submission.entries:
        if entry.kind == "file" and not _placed(entry, edition) and not _elsewhere(entry):
            yield Fault(1, entry.parts[-1], "only files that submissions have", path=submission.place(*entry.parts))


@rule("TREE04", "tree", severity="warning")
def parameter_files_are_ignored(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A submission holds no parameter file for a checker"""
    for entry in submission.entries:
        if entry.kind == "file" and PARAMETERS.match(entry.parts[-1]) and entry.parts[0] not in SOURCES:
            yield Fault(1, entry.parts[-1], "none: the rules' own numbers count", path=submission.place(*entry.parts))


@rule("TREE05", "tree")
def entries_are_files_and_folders(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A submission holds readable files and folders with printable names: no links, pipes or devices"""
    kinds = {"link": "a symbolic link", "special": "a pipe, socket or device", "unreadable": "not readable"}
    for entry in submission.entries:
        found = kinds.get(entry.kind, "")
        if not found and not entry.parts[-1].isprintable():
            found = f"the name {printable(entry.parts[-1])}"
        if found:
            yield Fault(1, found, "a file or a folder", path=submission.place(*entry.parts))


@rule("TREE06", "tree")
def logs_are_named_by_number(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A log is named result_<i>.txt"""
    for entry in submission.entries:
        if entry.kind == "file" and _misnamed(entry):
            yield Fault(1, entry.parts[-1], "result_<i>.txt", path=submission.place(*entry.parts))


@rule("TREE07", "tree")
def submission_can_be_walked(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A submission is small enough to be looked at as a whole"""
    if submission.cut:
        yield Fault(1, f"more than {len(submission.entries)} files and folders", "fewer", "Could not look further")


@rule("TREE08", "tree", after=("TREE05", "TREE06"))
def folders_of_results_hold_logs(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """A folder of results holds logs"""
    if submission.prepared:  # the report lists it under "could not look"
        return
    held = {runs.path.relative_to(submission.path).parts for runs in submission.sets}
    above = {parts[:4] for parts in held}
    for parts in _set_folders(submission, edition):
        inside = parts[2] == TUNING and parts in above
        if parts not in held and not inside:
            yield Fault(1, "no log", "logs named result_<i>.txt", path=submission.place(*parts))
    if not any(e.parts[0] == "results" for e in submission.entries):
        yield Fault(1, "no results", "logs below results/")


@rule("TREE09", "tree")
def log_lines_are_of_sets(submission: Submission, edition: Edition) -> Iterator[Fault]:
    """Every file with log lines is a log of a set"""
    known = edition.limits.ledger != "none"  # LED10 checks superseded logs
    aside = [log.file for runs in submission.sets if not known for log in runs.superseded]
    strays = [
        *submission.strays(),
        *((e, 1) for e in submission.entries if submission.path.joinpath(*e.parts) in aside),
    ]
    for entry, line in strays:
        if not _misnamed(entry):  # TREE06 names it
            found = f"the events of a log, from line {line}"
            wanted = "logs in folders of sets alone"
            yield Fault(line, found, wanted, path=submission.place(*entry.parts))


def _set_folders(submission: Submission, edition: Edition) -> list[tuple[str, ...]]:
    depth = 4 if edition.limits.scalings else 3
    return [
        e.parts
        for e in submission.entries
        if len(e.parts) == depth and e.parts[0] == "results" and e.kind == "folder" and e.parts[-1] != "power"
    ]


def _misnamed(entry: Entry) -> bool:
    name = entry.parts[-1]
    return (
        entry.parts[0] == "results"
        and "power" not in entry.parts
        and bool(LIKE_A_LOG.match(name))
        and not LOG.match(name)
    )


def _elsewhere(entry: Entry) -> bool:
    """Return whether another rule reports the file."""
    return _misnamed(entry) or (entry.parts[0] not in SOURCES and bool(PARAMETERS.match(entry.parts[-1])))


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
    if SUPERSEDED in parts:  # logs of a set that were repeated, and their weights
        kept = bool(LOG.match(parts[-1])) or (parts[-2] == WEIGHTS and parts[-1].endswith(".safetensors"))
        return edition.limits.ledger != "none" and kept
    tuning = TUNING in edition.limits.scalings and is_tuning(parts[1:-1])
    if parts[-1] == CAMPAIGN:
        return tuning and parts[-2] != CONFIRMATION
    if parts[-1] == LEDGER:  # beside the logs of a set
        at = tuning or len(parts) == (5 if edition.limits.scalings else 4)
        return edition.limits.ledger != "none" and at
    return bool(LOG.match(parts[-1])) or "power" in parts
