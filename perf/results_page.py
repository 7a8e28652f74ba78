"""The time that a browser needs to open the pages of a round, sort and search them, and open a submission.

    python perf/results_page.py [--submissions 100 1000] [--runs 10] [--times 3] [--page FILE]...

The command writes rounds of submissions with one set each, makes report and site, and opens the report and the round's
page of the site in Chromium. It prints medians of wall-clock seconds, each until the browser has painted the result.
`--page` measures existing pages instead.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from perf import results_speed
from perf.browser import SECONDS, started, tab
from results import site, summarize

PAINTED = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"
SORT = "document.querySelectorAll('table.cards th button')[{}].click()"
FIND = "{{ const f = document.getElementById('find'); f.value = {!r}; "
FIND += "f.dispatchEvent(new Event('input', {{bubbles: true}})); }}"
OPEN = "document.querySelector('table.cards tbody td a').click()"
DRAWN = "document.querySelector('details.set[open] svg') !== null"
ACTS = {
    "sort by rank": SORT.format(0),
    "sort by system": SORT.format(1),
    "the other way": SORT.format(1),
    "search": FIND.format("org0007"),
    "show all": FIND.format(""),
    "open one": OPEN,
}


def measure(page: Path, times: int) -> dict[str, float]:
    """{action: median seconds} of opening a page and of each action in it."""
    found: dict[str, list[float]] = {}
    with started() as address:
        for _ in range(times):
            view = tab(address)
            begin = time.perf_counter()
            view.open(page, 1366)
            view.run(PAINTED)
            found.setdefault("open", []).append(time.perf_counter() - begin)
            for name, script in ACTS.items():
                begin = time.perf_counter()
                view.run(script if script == OPEN else f"{script}; {PAINTED}")
                if script == OPEN and not view.wait(DRAWN, SECONDS, pause=0.01):
                    raise RuntimeError(f"{page}: found no chart after {SECONDS:g} s in the submission that was opened")
                found.setdefault(name, []).append(time.perf_counter() - begin)
            view.call("Page.close")
    return {name: statistics.median(values) for name, values in found.items()}


def pages(home: Path, submissions: int, runs: int) -> list[Path]:
    """Write a round, its report and its site; the report and the round's page."""
    root, report = home / str(submissions) / "round", home / str(submissions) / "report.html"
    results_speed.write_round(root, [runs] * submissions, 1)
    summarize.main([str(root), "--as-logged", "--output", str(report)])
    site.main([str(root), "--as-logged", "--out", str(report.parent / "site")])
    return [report, report.parent / "site" / "v1.0" / "index.html"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--page", type=Path, action="append", default=[], help="measure this page instead")
    parser.add_argument("--keep", type=Path, help="keep the rounds and pages in this folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="results_page_") as scratch:
        home = args.keep or Path(scratch)
        named = [("", page) for page in args.page] or [
            (str(count), page) for count in args.submissions for page in pages(home, count, args.runs)
        ]
        print("| submissions | page | MB | open | " + " | ".join(ACTS) + " |")
        print("| ---: | --- | ---: | ---: | " + " | ".join("---:" for _ in ACTS) + " |")
        for count, page in named:
            cells = [f"{seconds:.2f}" for seconds in measure(page, args.times).values()]
            kind = "site" if page.name == "index.html" else "report"
            print(f"| {' | '.join([count, kind, f'{page.stat().st_size / 1e6:.1f}', *cells])} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
