"""Summarise the evidence for a submission: what was only read, what was run again, and what people must judge.

    python compliance/audit.py results/v1.0/acme
    python harness/replay.py LOG --record again.jsonl              # run again, as many logs as you like
    python implementations/pytorch_tools/reevaluate.py SUBMISSION --record again.jsonl  # --data-seed: held-out data
    python compliance/audit.py results/v1.0/acme --replays again.jsonl --format markdown
    python compliance/audit.py results/v1.0/acme --review-template > review.yaml    # to fill in, sign and keep:
    python compliance/audit.py results/v1.0/acme --reviews review.yaml

Nothing of the submission is executed. Exit codes: 0 nothing wrong, 1 an error was found or what was run again differs,
2 could not be checked: usage or input error.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.engine import judge
from compliance.finding import counted, show
from compliance.output.grouping import verdict as in_words
from compliance.output.report import Summary, summaries
from compliance.reading.digest import sha256_of
from compliance.reviewing.checklist import ACCEPT, OBJECT, OPEN
from compliance.reviewing.questions import Question, ledger_line, name_of, questions, scored, template
from compliance.reviewing.replays import Replay, read_replays
from compliance.reviewing.review import Reviews, checklists, read_reviews
from compliance.reviewing.waiver import read_waivers
from compliance.safe import markdown, printable, put, tell, values
from compliance.verdict import SubmissionVerdict, Verdict
from rules.edition import Edition, load

NEVER = (
    "None of this shows whether epochs between those replayed and the last were changed, whether the clock was scaled "
    "throughout, or whether runs were picked from more."
)
BOXES = {ACCEPT: "x", OBJECT: "!", OPEN: " "}
MARKS = ("# ", "## ", "- ", "  - ")  # of lines in Markdown, by depth


@dataclass(frozen=True)
class RunAgain:
    """The replays and re-evaluations of a set's runs."""

    runs: str  # the name of the set
    count: int  # runs that were run again
    of: int  # scored runs of the set
    outcomes: tuple[str, ...]  # a line each
    differs: bool


@dataclass(frozen=True)
class Audit:
    """The evidence for one submission. `wrong`: a rule is broken, or something that was run again differs."""

    path: str
    edition: str
    read: tuple[str, ...]  # lines on what was read
    again: tuple[RunAgain, ...]
    people: tuple[Question, ...]
    wrong: bool
    reviewed: str = ""  # how many points reviewers have accepted, where their file was given


def audit(verdict: Verdict, replays: dict[str, list[Replay]], reviews: Reviews | None = None) -> list[Audit]:
    """Return the audit of each judged submission. `replays` maps the sha256 of a log to its replays."""
    editions = {name: load(name) for name in verdict.editions}
    listed = checklists(verdict, reviews, editions) if reviews else {}
    told = {one.path: one for one in summaries(verdict, editions, listed)}
    return [_audit(s, told[s.path], editions[s.edition], replays) for s in verdict.submissions]


def _audit(
    submission: SubmissionVerdict, summary: Summary, edition: Edition, replays: dict[str, list[Replay]]
) -> Audit:
    read = [f"{counted(summary.logs, 'log')} in {counted(len(submission.sets), 'set')}: {in_words(summary.counts)}"]
    broken = f", broken: {', '.join(summary.broken)}" if summary.broken else ""
    read.append(f"{summary.rules} rules checked{broken}")
    read += [submission.source] if submission.source else []
    read += [f"{name_of(runs)}: {line}" for runs in submission.sets if (line := ledger_line(runs, edition))]
    again = []
    for runs in submission.sets:
        made = [(run, replay) for run in scored(runs) for replay in replays.get(sha256_of(run.file), ())]
        lines = tuple(f"{Path(run.path).name}: {one.kind}: {one.verdict} ({one.code} code)" for run, one in made)
        differs = any(replay.outcome == "differs" for _, replay in made)
        count = len({run.path for run, _ in made})
        again.append(RunAgain(name_of(runs), count, len(scored(runs)), lines, differs))
    wrong = bool(summary.broken) or any(one.differs for one in again)
    people = tuple(questions(submission, edition, summary.checklist))
    reviewed = summary.checklist.words() if summary.checklist else ""
    return Audit(submission.path, edition.name, tuple(read), tuple(again), people, wrong, reviewed)


def _lines(one: Audit) -> Iterator[tuple[int, str, str]]:
    """Yield (depth, box to tick, text) of each line: the submission, the parts, what they hold, and what is below."""
    yield 0, "", f"{one.path}, by the rules {one.edition}"
    yield 1, "", "read only (nothing was run)"
    yield from ((2, "", line) for line in one.read)
    yield 1, "", "run again"
    for runs in one.again:
        yield 2, "", f"{runs.runs}: {runs.count} of {runs.of} runs"
        yield from ((3, "", line) for line in runs.outcomes)
    yield 1, "", f"for people{f', {one.reviewed}' if one.reviewed else ''}"
    for question in one.people:
        yield 2, f"[{BOXES[question.verdict]}] ", f"{question.code} {question.sentence}"
        yield from ((3, "", line) for line in (*question.evidence, *question.reviews))


def as_text(audits: list[Audit]) -> str:
    """Return the audits as text for a terminal."""
    lines = []
    for one in audits:
        lines += [f"{'  ' * depth}{box}{text}{':' * (depth == 1)}" for depth, box, text in _lines(one)]
        lines += [f"  {NEVER}", ""]
    return "".join(f"{printable(line)}\n" for line in lines)


def as_markdown(audits: list[Audit]) -> str:
    """Return the audits as a checklist in Markdown, in which an objection is an open box. No markup in submitted names
    applies."""
    lines = []
    for one in audits:
        for depth, box, text in _lines(one):
            line = f"{MARKS[depth]}{box.replace(BOXES[OBJECT], BOXES[OPEN])}{markdown(text)}"
            lines += ["", line, ""] if depth == 1 else [line]
        lines += ["", NEVER, ""]
    return "".join(f"{line}\n" for line in lines)


def as_json(audits: list[Audit]) -> str:
    """Return the audits as JSON."""
    return json.dumps(values({"schema_version": 1, "audits": [asdict(one) for one in audits]}), indent=2) + "\n"


FORMATS = {"text": as_text, "json": as_json, "markdown": as_markdown}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the audits; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="SUBMISSION", help="submissions, or folders that hold some")
    parser.add_argument("--replays", type=Path, help="the file that replay.py and reevaluate.py wrote by --record")
    parser.add_argument("--waivers", type=Path, metavar="FILE", help="a reviewer's waivers")
    parser.add_argument("--reviews", type=Path, metavar="FILE", help="what reviewers accept or object to")
    parser.add_argument("--review-template", action="store_true", help="print a file of reviews to fill in and sign")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition, whatever the folders say")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="how to write (default: text)")
    args = parser.parse_args(arguments)
    try:
        replays = read_replays(args.replays) if args.replays else {}
        waivers = read_waivers(args.waivers, args.paths) if args.waivers else None
        verdict = judge(args.paths, args.rules, waivers=waivers)
        if not verdict.submissions:
            raise ValueError(f"{args.paths[0]}: found no submission, wanted one, with systems/ and results/")
        audits = audit(verdict, replays, read_reviews(args.reviews, args.paths) if args.reviews else None)
        for path, why in verdict.missed:
            tell(f"{path}: could not be checked: {why}")
        if args.review_template:
            put(template([(one.path, one.people) for one in audits]))
            return 2 if verdict.missed else 0
        put(FORMATS[args.format](audits))
    except (ValueError, OSError) as error:
        tell(f"audit.py: {show(str(error))}")
        return 2
    return 1 if any(one.wrong for one in audits) else 2 if verdict.missed else 0


if __name__ == "__main__":
    sys.exit(main())
