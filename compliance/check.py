"""Check logs, sets of runs, submissions or whole rounds by the rules.

    python compliance/check.py results/

Every finding is `path:line: CODE sentence`, with what was found and what is wanted. Exit codes: 0 nothing wrong,
1 errors found, 2 could not be checked: usage or input error, or nothing to check. Nothing is written into what is
judged.
"""

import argparse
import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.engine import judge
from compliance.engine.budget import SECONDS
from compliance.engine.sandbox import ABSENT, shut_in
from compliance.engine.unit import gates
from compliance.finding import SEVERITIES, Finding, errors
from compliance.output import github, json, markdown, sarif, text
from compliance.output.difference import difference
from compliance.output.explain import explain, listing
from compliance.output.impact import with_impact
from compliance.output.report import Report, summaries
from compliance.reviewing.review import Reviews, checklists, read_reviews
from compliance.reviewing.waiver import read_waivers
from compliance.rule import CHECKS, premises
from compliance.safe import progress, put, tell
from compliance.verdict import Verdict
from rules.current import editions
from rules.edition import load

FORMATS = {"text": text, "json": json, "sarif": sarif, "github": github, "markdown": markdown}

WHOLE = ("json", "sarif")  # formats for programs, which get every finding


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="logs, sets, submissions, rounds")
    parser.add_argument("--format", choices=tuple(FORMATS), default="text", help="how to write (default: text)")
    parser.add_argument(
        "--beside",
        metavar="PATH",
        action="append",
        default=[],
        help="judge together with these, but report on PATH alone",
    )
    parser.add_argument("--rules", metavar="EDITION", help=f"judge by this edition: {', '.join(editions())}")
    parser.add_argument("--select", metavar="CODES", action="append", help="only these rules: SEED, CLK03, ...")
    parser.add_argument("--ignore", metavar="CODES", action="append", help="not these rules")
    parser.add_argument("--severity", choices=SEVERITIES, help="show findings of this severity alone (default: of all)")
    parser.add_argument("--all", action="store_true", help="each finding with its place, as text")
    parser.add_argument("--waivers", metavar="FILE", type=Path, help="a reviewer's waivers, outside of what is judged")
    parser.add_argument("--reviews", metavar="FILE", type=Path, help="what reviewers accept or object to; see audit.py")
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=SECONDS, help="for one submission at most (default: %(default)g)"
    )
    parser.add_argument("--explain", metavar="CODES", help="print the texts of rules or families: SEED,RUN05")
    parser.add_argument("--diff", metavar="SUBMISSION", help="show its source against the published reference's")
    parser.add_argument("--list", action="store_true", help="list the rules (of --rules, or of all editions)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None, confine: bool = False) -> int:
    """Judge and print; return the exit code. `confine` locks this process into a sandbox for good."""
    args = parse(arguments)
    code = 0
    try:
        if args.explain:
            output = explain(args.explain, args.rules)
        elif args.list:
            output = listing(args.rules)
        elif args.diff:
            output = difference(args.diff)
        else:
            output, code = check(args, confine)
        put(output)
    except (ValueError, OSError) as error:
        tell(f"check.py: {error}")
        return 2
    return code


def check(args: argparse.Namespace, confine: bool = False) -> tuple[str, int]:
    """Return the report in the chosen format, and the exit code. Raises ValueError for what the user can fix."""
    if not args.paths:
        raise ValueError("found no PATH, wanted something to judge (--help says more)")
    if args.all and args.format != "text":
        raise ValueError(f"--all: found --format {args.format}, wanted text")
    if args.severity and args.format in WHOLE:
        raise ValueError(f"--severity: found --format {args.format}, which has every finding; wanted another format")
    if not args.seconds >= 0:
        raise ValueError(f"--seconds: found {args.seconds:g}, wanted 0 or more")
    wanted = chosen(args.select, args.ignore)
    paths = [*args.paths, *args.beside]
    waivers = read_waivers(args.waivers, paths) if args.waivers else None
    reviews = read_reviews(args.reviews, paths) if args.reviews else None
    sandbox = shut_in() if confine else ""
    verdict = judge(paths, args.rules, progress=progress(), waivers=waivers, seconds=args.seconds)
    if args.beside:
        verdict = verdict.of(args.paths)
        if not (verdict.looked or verdict.submissions or verdict.missed):
            raise ValueError(f"--beside: found parts of submissions in {args.paths}, wanted whole ones")
    return render(verdict, wanted, args, reviews, sandbox)


def render(
    verdict: Verdict,
    wanted: tuple[set[str], set[str]],
    args: argparse.Namespace,
    reviews: Reviews | None = None,
    sandbox: str = "",
) -> tuple[str, int]:
    """Return the report in the chosen format, and the exit code. `wanted` is what `chosen` returns."""
    codes, before = wanted
    editions_ = {name: load(name) for name in verdict.editions}
    listed = checklists(verdict, reviews, editions_) if reviews else None
    sets = {runs.path for runs in verdict.all_sets}
    found = with_impact(verdict, editions_)
    verdict = replace(verdict, findings=tuple(f for f in found if f.code in codes or hinders(f, before, sets)))
    report = Report(
        verdict.findings,
        summaries(verdict, editions_, listed),
        verdict.missed,
        editions_,
        verdict.exit_code,
        color=args.format == "text" and sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ,
        every=args.all,
        severity=args.severity or "",
        chosen=bool(args.select or args.ignore),
        sandbox=sandbox,
        exposed=sandbox.startswith(ABSENT),
    )
    return FORMATS[args.format].render(report), report.exit_code


def chosen(select: list[str] | None, ignore: list[str] | None) -> tuple[set[str], set[str]]:
    """Return the codes of the selected rules, and of those whose errors keep a selected rule from being checked. Both
    arguments are lists of codes or families, separated by commas. Raises ValueError for one that no rule begins with.
    """
    taken, left_out = (
        tuple(part.strip().upper() for text in given or () for part in text.split(",") if part.strip())
        for given in (select, ignore)
    )
    for part in (*taken, *left_out):
        if not any(code.startswith(part) for code in CHECKS):
            raise ValueError(f"found {part!r}, wanted a rule or the start of one; --list names them")
    kept = {code for code in CHECKS if not code.startswith(left_out)}
    codes = {code for code in kept if not select or code.startswith(taken)}
    before = set[str]().union(*map(premises, codes))
    if any(CHECKS[code].level in ("log", "set", "round") for code in codes):
        before |= gates()
    return codes, before & kept


def hinders(finding: Finding, before: Collection[str], sets: Collection[str]) -> bool:
    """Return whether a finding is an error for which a selected rule was not checked: of one of the rules `before`, or
    that a set, at one of the paths `sets`, is in a wrong place, and so judged no further."""
    of_place = CHECKS[finding.code].level == "tree" and finding.path in sets
    return bool(errors([finding])) and (finding.code in before or of_place)


if __name__ == "__main__":
    sys.exit(main(confine=True))
