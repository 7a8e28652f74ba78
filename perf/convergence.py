"""Draw how the reference converges: collect its logs in one data file, and make figures, a table and reference points.

    python perf/convergence.py LOG_OR_FOLDER...      # write docs/convergence.yaml from logs, then figures and table
    python perf/convergence.py --add LOG...          # add runs to docs/convergence.yaml, then the same
    python perf/convergence.py                       # figures and table again, from docs/convergence.yaml
    python perf/convergence.py --points              # reference_epochs of the problems, for rules/<edition>/limits.yaml

The figures are docs/figures/convergence-<problem>.svg. The table is printed and written into docs/convergence.md.
With `--docs` all of these are in another folder.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmark.writing import write_text
from perf.curves.figure import figure
from perf.curves.runs import Series, from_logs, merged, read, write
from perf.curves.table import markdown, points
from perf.pages.generated import filled
from perf.script import script
from rules.current import current
from rules.edition import load

DOCS = Path(__file__).resolve().parents[1] / "docs"
SCORES = {"dice": "validation Dice", "mean": "validation score"}


def figures(series: Sequence[Series]) -> dict[str, str]:
    """{file name: SVG} of each problem."""
    found = {}
    for problem, members in itertools.groupby(series, key=lambda one: one.problem):
        group = list(members)
        score = SCORES[load(current()).benchmarks[group[0].benchmark].score or "mean"]
        found[f"convergence-{problem}.svg"] = figure(group, score)
    return found


@script
def main(arguments: Sequence[str] | None) -> None:
    """Do what the arguments ask for. Raises ValueError if a log or the data file is not usable."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", type=Path, metavar="LOG", help="logs of runs, or folders of them")
    parser.add_argument("--add", action="store_true", help="keep the runs that the data file has already")
    parser.add_argument("--points", action="store_true", help="print reference points instead of figures and table")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of data, page and figures")
    options = parser.parse_args(arguments)
    data, page = options.docs / "convergence.yaml", options.docs / "convergence.md"
    if options.logs:
        known = read(data) if options.add and data.exists() else []
        write(data, merged([*known, *from_logs(options.logs)]))
    series = read(data)
    if options.points:
        print(points(series))
        return
    for name, drawn in figures(series).items():
        write_text(options.docs / "figures" / name, drawn)
    table = markdown(series)
    if page.exists():
        write_text(page, filled(page.read_text(encoding="utf-8"), {"table": table}))
    print(table)


if __name__ == "__main__":
    sys.exit(main())
