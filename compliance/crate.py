"""Describe a submission as an RO-Crate (ro-crate-metadata.json), for archives and registries of research data.

    python compliance/crate.py results/v1.0/acme > ro-crate-metadata.json

The result is a Process Run Crate (https://w3id.org/ro/wfrun/process/0.5). Each run is an action with start, end,
source, problem, log, final weights and figures. All of it comes from the checker's verdict, which the crate states. The
crate is printed, since nothing is written into a submission; in a package it lies beside systems/.
Exit codes: 0 printed (also for a submission that is not in order, which the crate says), 2 could not be checked: usage
or input error.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.crate_entities import METADATA, Entity, Parts, action, single, text
from compliance.engine import judge
from compliance.finding import counted, errors
from compliance.reading.files import SubmissionFiles
from compliance.reading.tree import read_submission
from compliance.safe import values
from compliance.terminal import put, tell
from compliance.verdict import SubmissionVerdict
from rules.current import ROOT
from rules.edition import load

CRATE, PROFILE = "https://w3id.org/ro/crate/1.1", "https://w3id.org/ro/wfrun/process/0.5"


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the submission and print its crate; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="SUBMISSION", help="the folder of a submission")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition, whatever the folder says")
    args = parser.parse_args(arguments)
    try:
        verdict = judge([args.path], args.rules)
        if verdict.missed:
            raise ValueError(": ".join(verdict.missed[0]))
        if len(verdict.submissions) != 1:
            raise ValueError(f"{args.path}: found {len(verdict.submissions)} submissions, wanted the folder of one")
        put(json.dumps(crate(verdict.submissions[0]), indent=1) + "\n")
    except (ValueError, OSError) as error:
        tell(f"crate.py: {error}")
        return 2
    return 0


def crate(verdict: SubmissionVerdict, rules: Path = ROOT) -> Entity:
    """Return the content of ro-crate-metadata.json for a judged submission. `rules` is the folder of the editions.

    Raises ValueError if no run logs a time, since a crate needs a date.
    """
    place, runs = Path(verdict.path), tuple(log.run for s in verdict.sets for log in s.logs)
    listing = read_submission(place, verdict.path, place)
    parts = Parts(SubmissionFiles(listing, runs, load(verdict.edition, rules)), verdict.sets)
    files, folders, named = parts.files, list(parts.folders()), {file["@id"] for file in parts.files}
    actions = list(unique(e for run in runs for e in action(run, parts, named)))
    top = root(verdict, [*parts.top, *folders], actions)
    graph = [descriptor(), top, *constants(verdict), *files, *folders, *actions]
    whole: Entity = values({"@context": f"{CRATE}/context", "@graph": graph})
    return whole


def descriptor() -> Entity:
    """Return the entity for the metadata file itself."""
    about = {"conformsTo": {"@id": CRATE}, "about": {"@id": "./"}}
    return {"@id": METADATA, "@type": "CreativeWork", **about}


def root(verdict: SubmissionVerdict, parts: list[Entity], actions: list[Entity]) -> Entity:
    """Return the entity for the whole submission. Its date is the end of the last run, so that the same runs give the
    same bytes."""
    done = [e for e in actions if e["@type"] == "CreateAction"]
    dates = sorted(date for e in done if (date := e.get("endTime") or e.get("startTime")))
    if not dates:
        raise ValueError(f"{verdict.path}: found no run that logs a time, wanted one: a crate needs a date")
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{text(verdict.org)}: submission to the ScaFFold benchmark",
        "description": judged(verdict),
        "datePublished": dates[-1],
        "license": {"@id": "#license"},
        "author": {"@id": "#submitter"},
        "publisher": {"@id": "#submitter"},
        "conformsTo": {"@id": PROFILE},
        **single("hasPart", parts),
        **single("mentions", [e for e in actions if e["@type"] in ("CreateAction", "SoftwareApplication")]),
    }


def constants(verdict: SubmissionVerdict) -> Iterator[Entity]:
    """Yield the entities for the profile, the submitter and the license."""
    yield {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"}
    yield {"@id": "#submitter", "@type": "Organization", "name": text(verdict.org)}
    said = "A submission states no license; the files that it has of the reference are under Apache-2.0."
    yield {"@id": "#license", "@type": "CreativeWork", "name": "No license stated", "description": said}


def judged(verdict: SubmissionVerdict) -> str:
    """Return the verdict as a sentence."""
    found = errors(verdict.everything())
    state = "in order" if verdict.in_order else f"not in order: {counted(len(found), 'error')}"
    logs = counted(sum(len(s.logs) for s in verdict.sets), "log")
    return f"{logs} in {counted(len(verdict.sets), 'set')}, judged by the rules {verdict.edition}: {state}"


def unique(entities: Iterable[Entity]) -> Iterable[Entity]:
    """Return each entity once: the first with its identifier."""
    found: dict[str, Entity] = {}
    for entity in entities:
        found.setdefault(entity["@id"], entity)
    return found.values()


if __name__ == "__main__":
    sys.exit(main())
