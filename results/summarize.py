"""Check submissions, score the sets of runs that pass, and say why others have no score.

    python results/summarize.py PATH... [--output FILE]... [--format FORMAT] [--view ranking|analysis|procurement]
    python results/summarize.py PATH... --view analysis [--at BATCH[,DEVICES]]...

PATH is a submission, a round, or a set of runs; a set given alone has no rank. The ending of FILE says the format:
.txt .csv .json .md .html. Nothing is written into a submission.
Exit code: 0 every set has a score; 1 some have none (the reasons are printed); 2 could not be checked: usage
or input error.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from compliance.engine.assemble import STRAY
from compliance.safe import tell
from compliance.verdict import Verdict
from results import command
from results.statistics.result import Result, summarize
from results.tables import text
from results.tables.predicted import Place
from results.tuning import text as tuning
from results.tuning.score import Scored, campaigns

FORMATS = ("text", "csv", "json", "markdown", "html")
VIEWS = {"ranking": FORMATS, "analysis": ("text", "markdown"), "procurement": ("text", "markdown", "csv")}
MOST = 1 << 40  # a batch size or a number of devices is below this
ALONE = "given by itself: give the folder of its set"


def main(argv: Sequence[str] | None = None) -> int:
    """Check, score, write, and return the exit code."""
    args = parse(argv)
    try:
        wanted = command.targets(args, FORMATS)
        if odd := [form for _, form in wanted if form not in VIEWS[args.view]]:
            raise ValueError(f"--view {args.view}: found {odd[0]}, wanted {' or '.join(VIEWS[args.view])}")
        if args.at and args.view != "analysis":
            raise ValueError(f"--at: found --view {args.view}, wanted --view analysis, which predicts times")
        verdict = command.judged(args, wanted)
        results, without = summarize(verdict, args.as_logged), left_out(verdict)
        tuned = campaigns(verdict)
        if not results and not without and not tuned:
            raise ValueError(
                f"{' '.join(map(str, args.paths))}: found no set of runs, wanted folders with result_<i>.txt"
            )
        if args.view != "ranking" or all(form == "csv" for _, form in wanted):  # these name no campaign and no log
            for path, why in (*without, *((s.judged.path, f"no score: {s.why}") for s in tuned if s.why)):
                tell(f"{path}: {why}")
        command.write(wanted, forms(results, without, args.view, tuned, args.at or ()))
    except (ValueError, OSError) as error:
        tell(f"summarize: {error}")
        return 2
    if without or not all(r.in_order for r in results) or any(s.why for s in tuned):
        return 1
    return 2 if verdict.missed else 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="summarize.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a submission, a round, or a set of runs")
    command.add_options(parser, FORMATS, "--reviews")
    views = (
        "ranking: every set and its figures; analysis: the tables of MLPerf HPC's paper (text, Markdown); "
        "procurement: the tables of a buyer (text, Markdown, CSV)"
    )
    parser.add_argument("--view", choices=VIEWS, default="ranking", help=views)
    at = "in the analysis, also predict times at this global batch size and on so many devices; may be repeated"
    parser.add_argument("--at", action="append", type=place, metavar="BATCH[,DEVICES]", help=at)
    return parser.parse_args(argv)


def place(text: str) -> Place:
    """The place of a prediction: a batch size, and a number of devices if there is one. Raises argparse's error."""
    numbers = text.split(",")
    if len(numbers) > 2 or not all(n.isascii() and n.isdigit() and 0 < int(n) < MOST for n in numbers):
        raise argparse.ArgumentTypeError(f"found {text!r}, wanted a batch size, or a batch size,number of devices")
    return int(numbers[0]), int(numbers[1]) if len(numbers) == 2 else None


def left_out(verdict: Verdict) -> list[tuple[str, str]]:
    """(path, why) of each log that belongs to no set: it was given by itself, or lies outside of the sets of its
    submission."""
    strays = [f for s in verdict.submissions for f in s.findings if f.code in STRAY]
    return [(log.run.path, ALONE) for log in verdict.logs] + [(f.path, f"{f.code} {f.message()}") for f in strays]


def forms(
    results: Sequence[Result], without: text.Places, view: str, tuned: Sequence[Scored] = (), at: Sequence[Place] = ()
) -> dict[str, Callable[[Path], str]]:
    """{format: function that takes the folder of the output and returns the text}."""

    def html(base: Path) -> str:
        from results.html.report import html_text

        return html_text(results, base, without, tuned=tuned)

    made: dict[str, Callable[[Path], str]] = {
        "text": lambda base: joined(text.terminal_text(results, without), tuning.terminal_text(tuned)),
        "csv": lambda base: text.csv_text(results),
        "json": lambda base: text.json_text(results, without, [tuning.record(s) for s in tuned]),
        "markdown": lambda base: joined(text.markdown_text(results, without), tuning.markdown_text(tuned)),
        "html": html,
    }
    if view == "ranking":
        return made
    from results.tables.analysis import analysis
    from results.tables.procurement import procurement

    told = analysis(results, at) if view == "analysis" else procurement(results)
    return {form: anywhere(text) for form, text in told.items()}


def anywhere(text: str) -> Callable[[Path], str]:
    """The function that returns a text without links, which is the same in every folder."""
    return lambda base: text


def joined(*texts: str) -> str:
    """The texts that are not empty, one below the other."""
    return "\n".join(text for text in texts if text)


if __name__ == "__main__":
    sys.exit(main())
