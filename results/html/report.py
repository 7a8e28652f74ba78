"""The HTML report: one self-contained file with tables, charts across submissions, and a part for each set of runs.

`detail.py` makes the part of a set, `across.py` the charts that compare sets. On a site each submission has a page of
its own (`submission_page.py`), to which the round's page links.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from compliance.finding import counted
from results.html import scaling
from results.html.across import Looks, charts, ids, looks_of, rate_chart, with_merit
from results.html.charts import HOW
from results.html.detail import Room, detail, room, unscored
from results.html.excerpt import home
from results.html.findings import groups
from results.html.headings import FACTORS, SCALING, explained
from results.html.page import page
from results.html.tuning import sections
from results.statistics.result import Result
from results.tables.cells import Table
from results.tables.factors import Products, against_the_fastest, better, product_table, sentence
from results.tables.input_trials import InputTrial, input_trials, trial_table
from results.tables.links import Links, anchor
from results.tables.predicted import predictions
from results.tables.procurement import missing
from results.tables.ranking import FACTS, facts, ranking
from results.tables.rates import Rate, rate_table, rates, series
from results.tables.text import Places
from results.tables.words import goal_words, labelled, notes, staging_differs, title
from results.tuning.score import Scored
from results.tuning.text import tables


def html_text(results: Sequence[Result], base: Path, left_out: Places = (), tuned: Sequence[Scored] = ()) -> str:
    """The report as one file. Links to logs are relative to `base`, the folder where it will lie; `left_out` is (path,
    why) of what has no result; `tuned` are campaigns of tuning."""
    return report(results, Links(base), left_out, "Results", tuned=tuned)


def report(
    results: Sequence[Result],
    links: Links,
    left_out: Places,
    heading: str,
    code: str = "",
    rules: str = "",
    tuned: Sequence[Scored] = (),
) -> str:
    """The HTML of the report, or of a round's page on a site. On a site `links` lead to the pages of submissions,
    `rules` is the page of the rules, and `code` the file that draws charts."""
    trained = [r for r in results if not r.throughput_only]
    space, looks = room(len(results)), looks_of(trained)
    unread = [(s.judged.path, s.why) for s in tuned if not s.opened]  # they have no section
    found = [section(key, list(of), links, space, looks) for key, of in groupby(results, key=lambda r: r.group[:3])]
    return page(
        "report.html",
        title=heading,
        summary=summary(results, tuned) + (RANKED if trained or not tuned else ""),
        sections=found,
        choices=choices(results),
        left_out=[(links.place(path), why) for path, why in (*left_out, *unread)],
        missing=missing(results),
        code=code,
        rules=rules,
        alone=len(trained) == 1,
        how=HOW,
        tuned=campaigns(tuned),
    )


def summary(results: Sequence[Result], tuned: Sequence[Scored]) -> str:
    """How much a page is about."""
    trained = [r for r in results if not r.throughput_only]
    measured = [run for r in results if r.throughput_only for run in r.runs]
    tried, pruned = sum(bool(run.trials) for run in measured), sum(r.pruned for r in trained)
    unscored = sum(r.why is not None for r in trained)
    runs = counted(sum(r.score.n for r in trained), "run")
    runs += f" and {counted(pruned, 'pruned model')}" if pruned else ""
    scored = f"; {unscored} without a score" if unscored else "; each set has a score" if trained else ""
    said = {
        f"{counted(len(trained), 'set')} of {runs}{scored}": trained or not (measured or tuned),
        f"{counted(len(measured) - tried, 'log')} of throughput alone": len(measured) > tried,
        f"{counted(tried, 'trial')} of the input": tried,
        f"{counted(len(tuned), 'campaign')} of tuning, {counted(sum(len(s.trials) for s in tuned), 'trial')}": tuned,
    }
    return f"{', and '.join(words for words, there in said.items() if there)}."


def campaigns(tuned: Sequence[Scored]) -> list[dict[str, Any]]:
    """The sections of campaigns, with the benchmarks and the organisations that they are filtered by."""
    judged = [[s.judged for s in of] for _, of in tables(tuned)]
    found = [{"benchmark": {j.benchmark for j in of}, "organisation": {j.org.casefold() for j in of}} for of in judged]
    return [made | {"facts": facts} for made, facts in zip(sections(tuned), found, strict=True)]


def choices(results: Sequence[Result]) -> list[tuple[str, dict[str, str]]]:
    """(fact, {value: as shown}) of each fact that tables can be filtered by and that has several values. An
    organisation is one whatever its case."""
    spelled = {r.org.casefold(): r.org for r in sorted(results, key=lambda r: r.org, reverse=True)}
    found = [(name, sorted({facts(r)[name] for r in results})) for name in FACTS]
    shown = [(name, {v: spelled.get(v, v) if name == "organisation" else v for v in values}) for name, values in found]
    return [(name, values) for name, values in shown if len(values) > 1]


def section(key: tuple[str, ...], results: list[Result], links: Links, space: Room, looks: Looks) -> dict[str, Any]:
    """The values for the template of one edition, benchmark and problem: its tables, the charts over its sets, and the
    sets."""
    alone = [r for r in results if r.throughput_only]
    results = [r for r in results if not r.throughput_only]
    found = rates(alone)
    lines = series(found)
    drawn = [rate_chart([s for s in lines if s.kind == kind], caption) for kind, caption in KINDS.items()]
    trials = trial_table(alone, links)
    said = [groups(r.standing, links, home(r.judged), space.places, space.around) for r in alone]
    sizes = scaling.table(results, links)
    ranked = [(group, list(of)) for group, of in groupby(results, key=lambda r: r.group)]
    return {
        "name": " · ".join(filter(None, (key[0], labelled(*key[:2]), *key[2:]))),
        "anchor": anchor(*key),
        "goal": goal_words(results),
        "rows": max(len(results), len(found)),
        "tables": [(title(("", "", "", *group[3:])), ranking(of, links), notes(of)) for group, of in ranked],
        "charts": charts(results, looks),
        "products": [product(first, of, links) for first, of in against_the_fastest(results)],
        "predictions": predictions(with_merit(results), links.part),
        "scaling": sizes and explained(sizes, SCALING),
        "refused": [(r.label, links.part(r), unscored(r)) for r in results if r.why],
        "rates": filtered(rate_table(alone, links), found) if found else None,
        "rate_charts": [chart for chart in drawn if chart],
        "rate_findings": [g for of in said for g in of],
        "trials": trials and filtered(trials, input_trials(alone)),
        "details": [] if links.pages else [detail(r, links, space) for r in results],
    }


def filtered(table: Table, logs: Sequence[Rate] | Sequence[InputTrial]) -> Table:
    """A table with a row for each of `logs`, and what the row is filtered by, which follows from the log's set."""
    known = [facts(r) | {"set": ids([r])[0]} for r in (one.of for one in logs)]
    return replace(table, lines=[replace(line, facts=of) for line, of in zip(table.lines, known, strict=True)])


RANKED = (
    " The figure of merit is the mean time to train without the fastest and slowest runs, with its 95 % interval. A "
    "rank is the range of places that a set may have: sets share places if their runs do not show which is faster. A "
    "number after ± is the standard deviation between runs."
)


def product(first: Result, found: Products, links: Links) -> tuple[str, Table, str]:
    """(title, table, sentence of the second set) of the factors of a group's times over the fastest one's."""
    second, factors = found[0]
    said = sentence(factors, second, first, second.label, first.label)
    gains = better(factors, second, first)
    said += f". {second.label} does better in: {gains}" if gains else ""
    staged = staging_differs(second, first, second.label, first.label)
    said += f". T{staged[1:]}" if staged else ""
    table = product_table(first, found, links)
    table = explained(table, FACTORS | {table.head[1]: f"the figure of merit over that of {first.label}"})
    return title(("", "", "", *first.group[3:])), table, said.replace("by", "By", 1)


KINDS = {
    "strong": "Strong scaling: the same global batch; dashed: ideal",
    "weak": "Weak scaling: the same batch for each device; dashed: ideal",
}
