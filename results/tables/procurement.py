"""The tables of `--view procurement`, for a centre that buys a system.

They have the time to target as median, least and most of at least three seeds beside the figure of merit and the
expected time, strong and weak scaling, the phases of a step, memory, and energy. Text, Markdown and CSV are made from
the same rows (`scaling.py`). A set with errors is listed with its verdict and without numbers, unless `--as-logged` is
given.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from compliance.safe import markdown
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.formatting import csv_of, markdown_of, show, text_of
from results.tables.rates import rates, series
from results.tables.scaling import (
    GROUPS,
    Cells,
    middle,
    needs,
    place_of,
    scaled,
    seconds,
    shares,
    shown,
    strong_runs,
)
from results.tables.words import title
from rules.edition import load

PLACE = ("org", "system")
NAMED = (*PLACE, "nodes", "units")  # what is shown of a set whatever its verdict
TABLES = {  # title: columns; those of sets are measures of the registry where it has them
    "time to target": (
        *NAMED, "ranks", "runs", "seeds", "median_seconds", "least_seconds", "most_seconds", "fom_seconds", "fom_low",
        "fom_high", "expected_seconds", "expected_low", "expected_high", "epochs", "train_samples_per_second",
        "expected_why", "verdict",
    ),
    "strong scaling, time to target": (
        *PLACE, "nodes", "ranks", "runs", "median_seconds", "least_seconds", "most_seconds", "speedup", "efficiency",
        "epochs", "epoch_seconds", "kilojoules",
    ),
    "strong scaling, steps": (
        *PLACE, "units", "layout", "batch", "samples_per_second", "step_seconds", "speedup", "efficiency",
    ),
    "weak scaling, steps": (
        *PLACE, "units", "layout", "batch", "samples_per_second", "step_seconds", "speedup", "efficiency",
    ),
    "phases of a step, seconds": (
        *PLACE, "units", "layout", "batch", "wait", "forward", "backward", "halo", "norm", "reduction", "optimizer",
        "rest", "evaluation",
    ),
    "bottlenecks, % of a step and its share of the evaluation": (
        *PLACE, "units", "layout", "batch", *GROUPS, "largest", "beside_compute",
    ),
    "memory and input": (
        *PLACE, "units", "layout", "batch", "least_gib", "most_gib", "read_mb_per_second", "tflops", "peak_percent",
    ),
    "energy": (
        *NAMED, "joules", "joules_low", "joules_high", "kilowatt_hours", "watts", "joules_per_sample_trained",
        "joules_per_sample_evaluated", "energy_tier",
    ),
}  # fmt: skip
SUBMIT = "python harness/submit.py --problem {problem} --org ORG --system SYSTEM"
STUDY, STEPS = f"{SUBMIT} --study strong --ranks 8 16 32", f"{SUBMIT} --steps 40"
MADE_BY = {  # title of a table: the command that makes what it needs
    "time to target": SUBMIT,
    "strong scaling, time to target": STUDY,
    "strong scaling, steps": f"{STUDY} --runs 0",
    "weak scaling, steps": f"{SUBMIT} --study weak --ranks 8 16 32",
    "phases of a step, seconds": STEPS,
    "bottlenecks, % of a step and its share of the evaluation": STEPS,
    "memory and input": STEPS,
    "energy": f"{SUBMIT} on nodes whose counters a run may read (docs/energy.md)",
}
COLUMNS = (
    *("table", "edition", "benchmark", "problem", "division"),
    *dict.fromkeys(column for columns in TABLES.values() for column in columns),
)


def tables(results: Iterable[Result]) -> Iterator[tuple[tuple[str, str, str, str], str, list[Cells]]]:
    """((edition, benchmark, problem, division), name, rows) of every table that has rows."""

    def key(r: Result) -> tuple[str, str, str, str]:
        edition, benchmark, problem, _, division = r.group
        return edition, benchmark, problem, division

    for group, members in groupby(sorted((r for r in results if not r.weak), key=key), key=key):
        found = list(members)
        trained, measured = [r for r in found if not r.throughput_only], [r for r in found if r.throughput_only]
        logs = {os.path.abspath(run.file): run for r in measured for run in r.runs}
        steps = [(rate, logs[rate.log]) for rate in rates(measured) if rate.sound and rate.log in logs]
        lines = series([rate for rate, _ in steps])
        made: dict[str, Iterable[Cells]] = dict(
            zip(
                TABLES,
                (
                    map(time_to_target, trained),
                    strong_runs(trained),
                    scaled(lines, "strong"),
                    scaled(lines, "weak"),
                    (place_of(rate) | seconds(run) for rate, run in steps),
                    (place_of(rate) | shares(seconds(run)) for rate, run in steps),
                    (place_of(rate) | needs(run) for rate, run in steps),
                    (measures(r, TABLES["energy"]) for r in trained if r.energy and shown(r)),
                ),
                strict=True,
            )
        )
        for name, rows in made.items():
            if rows := list(rows):
                yield group, name, rows


def missing(results: Iterable[Result]) -> list[tuple[str, list[str]]]:
    """(title, lines) of the tables that a problem of the edition has no row of, each with the command that makes what
    it needs. ORG and SYSTEM are the submitter's; numbers of ranks are examples."""
    known = [r for r in results if not r.weak and r.group[2] in load(r.judged.edition).problems]
    there: dict[tuple[str, ...], set[str]] = {(*r.group[:3], r.group[4]): set() for r in known}
    for group, name, _ in tables(known):
        there[group].add(name)
    found = []
    for (edition, benchmark, problem, division), names in sorted(there.items()):
        lines = [f"{t}: {how.format(problem=problem)}" for t, how in MADE_BY.items() if t not in names]
        if lines:
            found.append((title((edition, benchmark, problem, "", division), "missing, and what makes it"), lines))
    return found


def time_to_target(r: Result) -> Cells:
    """The row of a set of runs."""
    names = TABLES["time to target"] if shown(r) else (*NAMED, "verdict")
    return measures(r, names) | {"median_seconds": None} | middle(r) | {"ranks": r.one("ranks")}


def measures(r: Result, names: Iterable[str]) -> Cells:
    """The measures of a set that the registry has under some of these names."""
    return {name: MEASURES[name].get(r) for name in names if name in MEASURES}


def cell(value: Any) -> str:
    """A value as text."""
    return "-" if value is None else value if isinstance(value, str) else show(value)


def written(results: Sequence[Result]) -> Iterator[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) of each table, without columns that have no value (org and system stay)."""
    for (*group, division), name, rows in tables(results):
        columns = [c for c in TABLES[name] if c in PLACE or any(row.get(c) is not None for row in rows)]
        cells = [[cell(row.get(column)) for column in columns] for row in rows]
        yield title((*group, "", division), name), [[c.replace("_", " ") for c in columns], *cells]


def procurement_text(results: Sequence[Result]) -> str:
    """The tables for a terminal, and what is missing."""
    lacking = ["\n".join(["", name, *(f"  {line}" for line in lines), ""]) for name, lines in missing(results)]
    return text_of(written(results), "no set of runs, and no log of steps\n") + "".join(lacking)


def procurement_markdown(results: Sequence[Result]) -> str:
    """The tables in Markdown, and what is missing."""
    lacking = ""
    for name, lines in missing(results):
        lacking += "\n".join(["", f"### {markdown(name)}", "", *(f"- {markdown(line)}" for line in lines), ""])
    return markdown_of(written(results)) + lacking


def procurement_csv(results: Sequence[Result]) -> str:
    """All tables one below the other, under the columns of all; numbers are not rounded."""
    found = ((dict(zip(COLUMNS, (name, *group), strict=False)), rows) for group, name, rows in tables(results))
    return csv_of(COLUMNS, (place | row for place, rows in found for row in rows))
