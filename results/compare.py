"""Sets of runs side by side: what differs, how the runs went, and which is faster, with its uncertainty.

    python results/compare.py A B [...] [--output FILE]... [--format text|html]

Each of A, B ... is a set of runs, or a submission with one set of the same benchmark. The first is what the others are
held against. The ending of FILE says the format: .txt or .html. Exit code: 0 compared; 2 could not.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from compliance.finding import printable
from compliance.verdict import Verdict
from results import command
from results import differences as d
from results.statistics.result import Result, results_of
from results.tables.comparison import text
from results.tables.run_table import named_sets

FORMATS = ("text", "html")


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and write; the exit code."""
    args = parse(argv)
    try:
        wanted = command.targets(args, FORMATS)
        verdict = command.check(args)
        command.keep_outside(wanted, verdict)
        command.tell(verdict)
        compared = d.sides(choose(args.paths, verdict, args.as_logged))
        pairs = d.pairs(compared)

        def html(base: Path) -> str:
            from results.html.compare_page import html_text

            return html_text(compared, pairs, base)

        command.write(wanted, {"text": lambda base: text(compared, pairs), "html": html})
    except (ValueError, OSError) as error:
        print(f"compare: {printable(str(error))}", file=sys.stderr)
        return 2
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="SET", help="a set of runs, or a submission with one")
    command.add_options(parser, FORMATS)
    return parser.parse_args(argv)


def choose(paths: Sequence[Path], verdict: Verdict, as_logged: bool = False) -> list[Result]:
    """One set for each path, in the order given.

    Raises ValueError where a path holds none or several, or where they are not of one benchmark and kind of scaling.
    """
    sets, chosen = named_sets(verdict), []
    for path in paths:
        below = [(name, s) for name, s in sets if s.folder.resolve().is_relative_to(path.resolve())]
        if len(below) != 1:
            names = "; name one:" * bool(below) + "".join(f"\n  {s.path}" for _, s in below[:20])
            raise ValueError(f"{path}: found {len(below)} sets of runs, wanted 1{names}")
        chosen.append(next(results_of(*below[0], as_logged)))
    if len(chosen) < 2:
        raise ValueError(f"found {len(chosen)} set, wanted at least 2 to compare")
    if len(chosen) > 26:
        raise ValueError(f"found {len(chosen)} sets, wanted at most 26")
    for what, at in (("benchmark", 1), ("scaling", 3)):
        found = sorted({r.group[at] for r in chosen})
        if len(found) > 1:
            raise ValueError(f"found sets of {' and '.join(found)}, wanted one {what}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())
