"""The page of a submission on the site: its sets in a table, then the part of each set."""

import re
from collections.abc import Callable, Iterable, Sequence

from compliance.finding import counted
from results.html.charts import HOW
from results.html.detail import Room, detail, unscored
from results.html.headings import SUBMISSION, explained
from results.html.page import page
from results.measures.identity import kind_of, rank_text
from results.statistics.result import Result
from results.tables.cells import Cell, table_of, verdict
from results.tables.links import Links, anchor
from results.tables.text import Places
from results.tables.words import ends, worth

COLUMNS: dict[str, Callable[[Result], Cell]] = {
    "system": lambda r: Cell(r.system, href=f"#{anchor(r.name, r.group[2])}"),
    "benchmark": lambda r: Cell(r.group[1], below=r.group[2]),
    "scaling": lambda r: Cell("throughput alone" if r.throughput_only else kind_of(r.group[3])),
    "division": lambda r: Cell(r.group[4]),
    "verdict": lambda r: verdict(r.standing),
    "result": lambda r: Cell("-" if r.throughput_only else worth(r), title=unscored(r)),
    "95 %, s": lambda r: Cell(ends(r) if r.fom is not None else "-"),
    "rank": lambda r: Cell(rank_text(r.rank) or "-"),
    "runs": lambda r: Cell(f"{r.score.converged}/{r.score.n}", r.score.converged, True),
}


def names(
    called: Iterable[str], taken: Iterable[str], nameless: str = "submission", end: str = ".html"
) -> dict[str, str]:
    """{what a submission or round is called: its file or folder, with this `end`}. Names are safe on every file system,
    and differ from each other and from those `taken`, whatever their case. `nameless` stands for an empty one."""
    used, found = {name.lower() for name in taken}, {}
    for name in sorted(set(called)):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:60] or nameless
        if f"{stem}{end}".lower() in used:
            stem = anchor(stem, name)
        found[name] = f"{stem}{end}"
        used.add(found[name].lower())
    return found


def submission(
    own: Sequence[Result], links: Links, space: Room, left_out: Places, round: str, rules: str, code: str
) -> str:
    """The HTML of the page of an organisation's `own` sets of a `round`. `rules` is the page of the rules, and `code`
    the file that draws charts."""
    trained = [r for r in own if not r.throughput_only]
    runs = counted(sum(r.score.n for r in trained), "run")
    return page(
        "submission.html",
        title=f"{own[0].org or 'A submission'}, {round}",
        round=round,
        rules=rules,
        code=code,
        summary=f"{counted(len(own), 'set')} of runs, {runs}.",
        sets=explained(table_of(COLUMNS, own), SUBMISSION),
        details=[detail(r, links, space) for r in own],
        left_out=left_out,
        how=HOW,
    )
