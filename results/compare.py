"""Compare sets of runs: which is faster and how sure that is, in what they differ, and how their runs went.

    python results/compare.py PATH... [--output FILE]... [--format text|json|html]

PATH is a set of runs, a submission or a round. If each path holds one set, these sets are compared. Otherwise the sets
of each benchmark, problem and scaling are compared. The later sets are compared with the first. The ending of FILE says
the format: .txt, .json or .html. Exit code: 0 compared; 2 could not compare.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.safe import tell
from results import command
from results import differences as d
from results.choosing import comparisons
from results.tables.comparison import json_text, text
from results.tuning.score import campaigns
from results.tuning.text import terminal_text

FORMATS = ("text", "json", "html")


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, write, and return the exit code."""
    args = parse(argv)
    try:
        wanted = command.targets(args, FORMATS)
        verdict = command.judged(args, wanted)
        tuned = campaigns(verdict)
        if tuned and all(s.campaign for s in verdict.all_sets):
            if odd := [form for _, form in wanted if form != "text"]:
                how = f"use summarize.py for their {'page' if odd[0] == 'html' else 'JSON'}"
                raise ValueError(f"found only campaigns of tuning, wanted sets of runs: {how}")
            command.write(wanted, {"text": lambda base: terminal_text(tuned)})
            return 0
        found = [d.sides(results) for results in comparisons(args.paths, verdict, args.as_logged)]
        paired = [(compared, d.pairs(compared)) for compared in found]

        def html(base: Path) -> str:
            from results.html.compare_page import html_text

            return html_text(paired, base, tuned)

        def words(base: Path) -> str:
            return "\n\n".join([*(text(*both) for both in paired), *filter(None, [terminal_text(tuned)])])

        command.write(wanted, {"text": words, "json": lambda base: json_text(paired), "html": html})
    except (ValueError, OSError) as error:
        tell(f"compare: {error}")
        return 2
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a set of runs, a submission or a round")
    command.add_options(parser, FORMATS)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
