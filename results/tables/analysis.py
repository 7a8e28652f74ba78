"""The tables of MLPerf HPC's paper (Farrell et al. 2021, arXiv 2110.11466, tables 4, 5 and 6), a row for each set.

Means and sample deviations (n - 1) are over the runs that the figure of merit averages. Means of rates are harmonic
(`results/measures/`).
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from results.measures.measure import over
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.factors import against_the_fastest
from results.tables.formatting import fixed, markdown_of, text_of
from results.tables.record import record

ENERGY = "energy"
KILO = ("joules", "joules_low", "joules_high")
TABLES = {  # title: (measure, decimals) ...
    "time to train and staging": (
        *(("units", 0), ("batch", 0), ("fom_minutes", 2), ("staging_seconds", 2), ("staging_deviation", 2)),
        *(("epoch_seconds", 2), ("epoch_seconds_deviation", 2), ("staging_epochs", 2), ("staging_share", 4)),
    ),
    "epochs, throughput and budget": (
        *(("epochs", 2), ("epochs_deviation", 2), ("epochs_per_minute", 3), ("epochs_per_minute_deviation", 3)),
        *(("epoch_train_rate", 1), ("epoch_train_rate_deviation", 1), ("epoch_eval_rate", 1)),
        *(("epoch_eval_rate_deviation", 1), ("sample_rate", 1), ("sample_rate_deviation", 1)),
        *(("unit_hours", 2), ("node_hours", 2)),
    ),
    ENERGY: (
        *((name, 3) for name in KILO),
        *(("watts", 1), ("joules_per_sample_trained", 3), ("joules_per_sample_evaluated", 3), ("energy_tier", None)),
    ),
}
HEADS = {"batch": "batch", "joules": "energy, kJ", "joules_low": "95 % from", "joules_high": "to"}
HEADS |= {"staging_deviation": "±", "joules_per_sample_evaluated": "evaluated"}  # others are the registry's


def tables(results: Iterable[Result]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) for every edition, benchmark and problem; the closed division comes first."""
    strong = sorted((r for r in results if not r.weak), key=lambda r: (*r.group[:3], r.group[4], r.org, r.system))
    found = []
    for (edition, benchmark, problem), members in groupby(strong, key=lambda r: r.group[:3]):
        records = [known(r) for r in members]
        for name, columns in TABLES.items():
            if name == ENERGY and not any(r["joules"] is not None for r in records):
                continue
            head = ["division", "org", "system", *(HEADS.get(name, MEASURES[name].title) for name, _ in columns)]
            rows = [[r["division"], r["org"], r["system"], *cells(r, columns)] for r in records]
            found.append((" · ".join(p for p in (edition, benchmark, problem, name) if p), [head, *rows]))
    return found


def known(r: Result) -> dict[str, Any]:
    """The record of a set, with joules in kJ. Staging is None if no log mentions it: that does not mean 0 s."""
    values = record(r)
    values |= {name: over(values[name], 1000) for name in KILO}
    if all(row.staging_line is None for row in r.rows):
        values |= {name: None for name in values if name.startswith("staging_")}
    return values


def cells(values: dict[str, Any], columns: Iterable[tuple[str, int | None]]) -> list[str]:
    """The values of a set's columns as text; a column without digits holds words."""
    return [
        "-" if values[name] is None else values[name] if digits is None else fixed(values[name], digits)
        for name, digits in columns
    ]


def analysis_text(results: Sequence[Result]) -> str:
    """The tables for a terminal."""
    return text_of([*tables(results), *products(results)], "no set of runs to train one model\n")


def analysis_markdown(results: Sequence[Result]) -> str:
    """The tables in Markdown."""
    return markdown_of([*tables(results), *products(results)])


def products(results: Sequence[Result]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) of each group's times over the fastest one's, as products."""
    found = against_the_fastest(results)
    return [(" · ".join(p for p in (*group[:3], group[4], "against the fastest") if p), rows) for group, rows in found]
