"""Runs into scores: walk submissions, have them judged, score what is in order, and say why the rest is not.

    python results/summarize.py PATH... [--format text|csv|json|markdown|html] [--view ranking|analysis] [--output FILE]

PATH is a log, a set of runs, a submission, a round, or several. Nothing is ever written into a submission.
Exit code: 0 every set has a score; 1 some have none (the reasons are printed); 2 could not look.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from tqdm import tqdm

from results import text
from results.analysis import analysis_markdown, analysis_text
from results.frame import load_sets
from results.law import edition_of, law
from results.submission import RunSet, find_sets
from results.summary import Result, summarize
from results.verdict import Verdict, judge

FORMATS = ("text", "csv", "json", "markdown", "html")
VIEWS = ("ranking", "analysis")


def main(argv: Sequence[str] | None = None) -> int:
    args = parse(argv)
    try:
        sets = find_sets(args.paths)
        if not sets:
            raise ValueError(f"{' '.join(map(str, args.paths))}: found no result_<i>.txt")
        output = safe_output(args.output, sets)
        verdicts = judged(sets, args)
    except (ValueError, OSError) as error:
        print(f"summarize: {error}", file=sys.stderr)
        return 2
    results = evaluate(sets, verdicts, args.rules, args.as_logged)
    written = render(results, args)
    if output is None:
        sys.stdout.write(written)
    else:
        output.write_text(written, encoding="utf-8")
        print(f"wrote {output}", file=sys.stderr)
    return 0 if all(r.in_order for r in results) else 1


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="summarize.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a log, a set, a submission or a round")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument(
        "--view", choices=VIEWS, default="ranking", help="which tables text and markdown show (default: %(default)s)"
    )
    parser.add_argument("--output", type=Path, help="write to this file, outside of any submission")
    parser.add_argument("--rules", metavar="EDITION", help="judge by this edition whatever the folders say")
    parser.add_argument("--no-judge", dest="judge", action="store_false", help="score without a verdict")
    parser.add_argument("--as-logged", action="store_true", help="score what the logs say even where the judge objects")
    return parser.parse_args(argv)


def judged(sets: list[RunSet], args: argparse.Namespace) -> dict[str, Verdict]:
    """The judge's verdicts, {} if not wanted. Raises ValueError for an unknown edition."""
    if not args.judge:
        return {}
    with bar(None, sum(len(s.logs) + len(s.pruned) for s in sets), "judging") as shown:
        return judge(sets, args.paths, args.rules, lambda done, total: shown.update(done - shown.n))


def evaluate(
    sets: list[RunSet], verdicts: Mapping[str, Verdict], edition: str | None = None, as_logged: bool = False
) -> list[Result]:
    """Scored results of sets of runs that were judged."""
    frame = load_sets(sets, lambda rows, total: bar(rows, total, "reading"), edition)
    required = {s.name: law(edition_of(s, edition), s.id.benchmark).runs for s in sets}
    return summarize(frame, verdicts, required, as_logged)


def render(results: list[Result], args: argparse.Namespace) -> str:
    if args.format == "html":
        from results.report import html_text

        return html_text(results, args.output.resolve().parent if args.output else Path.cwd())
    if args.view == "analysis" and args.format in ("text", "markdown"):
        return (analysis_text if args.format == "text" else analysis_markdown)(results)
    forms = {"text": text.terminal_text, "csv": text.csv_text, "json": text.json_text, "markdown": text.markdown_text}
    return forms[args.format](results)


def safe_output(output: Path | None, sets: Sequence[RunSet]) -> Path | None:
    """The file to write. Raises ValueError if it would lie inside a submission."""
    if output is None:
        return None
    where = output.resolve()
    for s in sets:
        home = (s.submission or s.folder).resolve()
        if where.is_relative_to(home):
            raise ValueError(f"{output}: lies inside the submission {home}, wanted a place outside")
    return output


def bar(rows: Iterable | None, total: int, what: str) -> tqdm:
    """Progress on stderr, on a terminal only."""
    return tqdm(rows, total=total, unit="log", desc=what, disable=not sys.stderr.isatty(), leave=False)


if __name__ == "__main__":
    sys.exit(main())
