"""The tables of MLPerf HPC's paper (Farrell et al. 2021, arXiv 2110.11466, tables 4, 5 and 6), a row for each set.

Means and sample deviations (n - 1) are over the runs that the figure of merit averages. Means of rates are harmonic
(`record.rates`).
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from results.statistics.result import Result
from results.tables.factors import against_the_fastest
from results.tables.formatting import fixed, markdown_of, text_of
from results.tables.record import record

ENERGY = "energy"
TABLES = {  # title: (head, column, digits) ...
    "time to train and staging": (
        ("units", "units", 0),
        ("batch", "batch", 0),
        ("time to train, min", "fom_minutes", 2),
        ("staging, s", "staging_seconds", 2),
        ("±", "staging_deviation", 2),
        ("epoch, s", "epoch_seconds", 2),
        ("±", "epoch_seconds_deviation", 2),
        ("staging / epoch", "staging_epochs", 2),
        ("staging / run", "staging_share", 4),
    ),
    "epochs, throughput and budget": (
        ("epochs", "epochs", 2),
        ("±", "epochs_deviation", 2),
        ("epochs/min", "epochs_per_minute", 3),
        ("±", "epochs_per_minute_deviation", 3),
        ("trained/s", "epoch_train_rate", 1),
        ("±", "epoch_train_rate_deviation", 1),
        ("evaluated/s", "epoch_eval_rate", 1),
        ("±", "epoch_eval_rate_deviation", 1),
        ("both/s", "sample_rate", 1),
        ("±", "sample_rate_deviation", 1),
        ("unit-hours", "unit_hours", 2),
        ("node-hours", "node_hours", 2),
    ),
    ENERGY: (
        ("energy, kJ", "kilojoules", 3),
        ("95 % from", "kilojoules_low", 3),
        ("to", "kilojoules_high", 3),
        ("mean power, W", "watts", 1),
        ("J a sample trained", "joules_per_sample_trained", 3),
        ("evaluated", "joules_per_sample_evaluated", 3),
        ("energy by", "energy_tier", None),
    ),
}


def tables(results: Iterable[Result]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) for every edition, benchmark and problem; the closed division comes first."""
    strong = sorted((r for r in results if not r.weak), key=lambda r: (*r.group[:3], r.group[4], r.org, r.system))
    found = []
    for (edition, benchmark, problem), members in groupby(strong, key=lambda r: r.group[:3]):
        records = [known(r) for r in members]
        for name, columns in TABLES.items():
            if name == ENERGY and not any(r["joules"] is not None for r in records):
                continue
            head = ["division", "org", "system", *(name for name, _, _ in columns)]
            rows = [[r["division"], r["org"], r["system"], *cells(r, columns)] for r in records]
            found.append((" · ".join(p for p in (edition, benchmark, problem, name) if p), [head, *rows]))
    return found


def known(r: Result) -> dict[str, Any]:
    """The record of a set, with energy in kJ. Staging is None if no log mentions it: that does not mean 0 s."""
    values = record(r)
    kilo = {f"kilojoules{end}": values[f"joules{end}"] for end in ("", "_low", "_high")}
    values |= {name: None if joules is None else joules / 1000 for name, joules in kilo.items()}
    if all(row.staging_line is None for row in r.rows):
        values |= {name: None for name in values if name.startswith("staging_")}
    return values


def cells(values: dict[str, Any], columns: Iterable[tuple[str, str, int | None]]) -> list[str]:
    """The values of a set's columns as text; a column without digits holds words."""
    return [
        "-" if values[name] is None else values[name] if digits is None else fixed(values[name], digits)
        for _, name, digits in columns
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
