"""Judge logs, sets of runs, submissions or whole rounds by the rules.

    python compliance/check.py results/

Every finding is `path:line: CODE sentence`, with what was found and what is wanted. Exit codes: 0 nothing wrong,
1 errors found, 2 could not look (or there was nothing to look at). Nothing is written into what is judged.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from compliance.engine import judge
from compliance.output import text
from compliance.report import Report, summaries
from rules.edition import load


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="logs, sets, submissions, rounds")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition (default: folders and logs say)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that read logs")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge and print; the exit code."""
    args = parse(arguments)
    try:
        verdict = judge(args.paths, args.rules, args.jobs)
    except ValueError as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    editions = {name: load(name) for name in verdict.editions}
    report = Report(
        verdict.findings, summaries(verdict, verdict.findings, editions), verdict.missed, editions, verdict.exit_code
    )
    sys.stdout.write(text.render(report))
    return verdict.exit_code


if __name__ == "__main__":
    sys.exit(main())
