"""Runs into scores: check submissions, score what is in order, and say why the rest is not.

    python results/summarize.py PATH... [--output FILE]... [--format FORMAT] [--view ranking|analysis|procurement]

PATH is a submission, a round, or a set of runs; a set given by itself has no rank. The ending of FILE says the format:
.txt .csv .json .md .html. Nothing is ever written into a submission.
Exit code: 0 every set has its figure; 1 some have none (the reasons are printed); 2 could not look.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.assemble import STRAY
from compliance.review import read_reviews, with_reviews
from compliance.terminal import tell
from compliance.verdict import Verdict
from results import command
from results.statistics.result import Result, summarize
from results.tables import text
from rules.edition import load

FORMATS = ("text", "csv", "json", "markdown", "html")
VIEWS = ("ranking", "analysis", "procurement")
ALONE = "given by itself: give the folder of its set"


def main(argv: Sequence[str] | None = None) -> int:
    """Summarize and write; the exit code."""
    args = parse(argv)
    try:
        wanted = command.targets(args, FORMATS)
        reviews = read_reviews(args.reviews, args.paths) if args.reviews else None
        verdict = command.check(args)
        if reviews:
            verdict = with_reviews(verdict, reviews, {name: load(name) for name in verdict.editions})
        command.keep_outside(wanted, verdict)
        results, without = summarize(verdict, args.as_logged), left_out(verdict)
        command.tell(verdict)
        if not results and not without:
            raise ValueError(f"{' '.join(map(str, args.paths))}: found no set of runs")
        if all(form == "csv" for _, form in wanted):
            for path, why in without:
                tell(f"{path}: {why}")
        command.write(wanted, forms(results, without, args.view))
    except (ValueError, OSError) as error:
        tell(f"summarize: {error}")
        return 2
    if without or not all(r.in_order for r in results):
        return 1
    return 2 if verdict.missed else 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="summarize.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a submission, a round, or a set of runs")
    command.add_options(parser, FORMATS)
    parser.add_argument("--reviews", metavar="FILE", type=Path, help="what reviewers accept or object to, see audit.py")
    parser.add_argument(
        "--view",
        choices=VIEWS,
        default="ranking",
        help="which tables, as text and Markdown; procurement as CSV too",
    )
    return parser.parse_args(argv)


def left_out(verdict: Verdict) -> list[tuple[str, str]]:
    """(path, why) of logs that can have no result: those given by themselves, and those of a submission that are in
    none of its sets."""
    strays = [f for s in verdict.submissions for f in s.findings if f.code in STRAY]
    return [(log.run.path, ALONE) for log in verdict.logs] + [(f.path, f"{f.code} {f.message()}") for f in strays]


def forms(results: Sequence[Result], without: text.Places, view: str) -> dict[str, Callable[[Path], str]]:
    """How each format is made, for the folder where it will lie."""

    def html(base: Path) -> str:
        from results.html.report import html_text

        return html_text(results, base, without)

    made = {
        "text": lambda base: text.terminal_text(results, without),
        "csv": lambda base: text.csv_text(results),
        "json": lambda base: text.json_text(results, without),
        "markdown": lambda base: text.markdown_text(results, without),
        "html": html,
    }
    if view == "analysis":
        from results.tables.analysis import analysis_markdown, analysis_text

        made |= {"text": lambda base: analysis_text(results), "markdown": lambda base: analysis_markdown(results)}
    if view == "procurement":
        from results.tables import procurement

        made |= {"text": lambda base: procurement.procurement_text(results)}
        made |= {"markdown": lambda base: procurement.procurement_markdown(results)}
        made |= {"csv": lambda base: procurement.procurement_csv(results)}
    return made


if __name__ == "__main__":
    sys.exit(main())
