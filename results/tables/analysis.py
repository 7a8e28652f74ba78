"""The tables of MLPerf HPC's paper (Farrell et al. 2021, arXiv 2110.11466, tables 4, 5 and 6), a row for each set.

Means and sample deviations (n - 1) are over the runs that the figure of merit averages. Means of rates are harmonic
(`results/measures/`).
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.factors import against_the_fastest, product_table
from results.tables.formatting import markdown_of, text_of
from results.tables.links import Links
from results.tables.predicted import Place, named, predictions
from results.tables.record import shown
from results.tables.words import title

ENERGY, STAGED = "energy", "staged_before_seconds"  # shown where there is any
NOWHERE = Links(Path(), public=True)
TABLES = {  # title: measures
    "time to train and staging": (
        *("units", "batch", "fom_minutes", "staging_seconds", "staged_before_seconds", "first_epoch_seconds"),
        *("later_epoch_seconds", "epoch_seconds", "staging_epochs", "staging_share"),
    ),
    "epochs, throughput and budget": (
        *("epochs", "epochs_per_minute", "train_samples_per_second", "eval_samples_per_second", "sample_rate"),
        *("unit_hours", "node_hours"),
    ),
    ENERGY: (
        *("joules", "joules_low", "joules_high", "watts", "joules_per_sample_trained", "joules_per_sample_evaluated"),
        "energy_tier",
    ),
}


def tables(results: Sequence[Result]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) for every edition, benchmark and problem, the closed division first; then each
    group's times over the fastest one's, as products."""
    trained = (r for r in results if not r.weak and not r.throughput_only)
    strong = sorted(trained, key=lambda r: (*r.group[:3], r.group[4], r.org, r.system))
    found = []
    for group, members in groupby(strong, key=lambda r: r.group[:3]):
        of = list(members)
        for name, columns in TABLES.items():
            if name == ENERGY and not any(r.energy for r in of):
                continue
            told = [MEASURES[c] for c in columns if c != STAGED or any(MEASURES[c].get(r) for r in of)]
            head = ["division", "org", "system", *(m.title for m in told)]
            rows = [[r.group[4], r.org, r.system, *(shown(m, r) for m in told)] for r in of]
            found.append((" · ".join(filter(None, (*group, name))), [head, *rows]))
    for first, products in against_the_fastest(results):
        found.append((title(first.group, "against the fastest"), product_table(first, products, NOWHERE).words))
    return found


def analysis(results: Sequence[Result], at: Sequence[Place] = ()) -> dict[str, str]:
    """{format: the tables}, for a terminal and in Markdown.

    The last are of times that are predicted at other batch sizes for sets with a figure of merit, those `at` the places
    asked for among them, each with a sentence on how well it predicts what is known.
    """
    scored = [r for r in results if not r.weak and r.fom is not None]
    known = [(name, table.words, said) for name, table, said in predictions(scored, at=at) if table]
    if at and not known:
        wanted = "wanted a batch size that sets with a figure of merit have or enclose"
        raise ValueError(f"--at: found {', '.join(map(named, at))}, {wanted}")
    found = tables(results) + [(name, words) for name, words, _ in known]
    lines = "".join(f"\n{name.rpartition(' · ')[0]}: {said}\n" for name, _, said in known if said)
    none = "no set of runs to train one model\n"
    return {"text": text_of(found, none) + lines, "markdown": markdown_of(found) + lines}
