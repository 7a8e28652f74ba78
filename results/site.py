"""Write the public pages of rounds: an index, a page for each round and submission, the rules, and CSV and JSON files.

    python results/site.py PATH... --out FOLDER

PATH is a round, or the folder of several. FOLDER can be put on any server: its files link only to each other, and pages
load nothing from elsewhere and show no address. Nothing is written into a submission.
Exit code: 0 written; 2 could not.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import benchmark.installed  # noqa: F401  first: it says what to type where a package is missing
from benchmark.writing import write_text
from compliance.safe import tell
from results import command
from results.html.site_pages import files, rounds
from results.statistics.result import summarize
from results.summarize import left_out
from results.tuning.score import campaigns


def main(argv: Sequence[str] | None = None) -> int:
    """Judge, write the pages, and return the exit code."""
    args = parse(argv)
    try:
        base = Path(os.path.commonpath([path.resolve().parent for path in args.paths]))
        args.paths = [path.resolve().relative_to(base) for path in args.paths]
        for name in ("out", "waivers", "reviews"):
            setattr(args, name, getattr(args, name) and getattr(args, name).resolve())
        with contextlib.chdir(base):  # findings then show no path of this machine
            made = pages(args)
        for name, text in made.items():
            path = args.out / name
            write_text(path, text)
        tell(f"wrote {args.out / 'index.html'}")
    except (ValueError, OSError) as error:
        tell(f"site: {error}")
        return 2
    return 0


def pages(args: argparse.Namespace) -> dict[str, str]:
    """{path: text} of every page. Raises ValueError if the paths hold no set of runs, or the folder to write to lies
    inside one."""
    verdict = command.judged(args, [(args.out / "index.html", "html")])
    found = rounds(summarize(verdict, args.as_logged), left_out(verdict), campaigns(verdict))
    if not found:
        raise ValueError(
            f"{' '.join(map(str, args.paths))}: found no set of runs, wanted a round, such as results/v1.0"
        )
    return dict(files(found, Path.cwd()))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="site.py", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a round, or a folder of several")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write to")
    command.add_judging(parser, "--as-logged", "--reviews")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
