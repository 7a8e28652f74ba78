"""The tables of `--view procurement`, for a centre that buys a system.

They have the time to target as median, least and most of at least three seeds beside the figure of merit and the
expected time, strong and weak scaling, the phases of a step, memory, storage, and energy. Text, Markdown and CSV are
made from the same rows (`scaling.py`). A set with errors is listed with its verdict and without numbers, unless
`--as-logged` is given.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from compliance.safe import markdown
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables import record
from results.tables.formatting import csv_of, markdown_of, show, text_of
from results.tables.input_trials import input_trials
from results.tables.rates import rates, series
from results.tables.scaling import (
    GROUPS,
    TRIALS,
    Cells,
    measures,
    middle,
    needs,
    place_of,
    scaled,
    seconds,
    shares,
    shown,
    storage,
    strong_runs,
)
from results.tables.words import title
from rules.edition import load

PLACE = ("org", "system")
NAMED = (*PLACE, "nodes", "units")  # what is shown of a set whatever its verdict
STEPS = (*PLACE, "units", "layout", "batch")
SPEED = (*STEPS, "train_samples_per_second", "step_seconds", "speedup", "efficiency")
TABLES = {  # title: columns; those of sets are measures of the registry
    "time to target": (
        *NAMED, "ranks", "runs", "seeds", "median_seconds", "least_seconds", "most_seconds", "fom_seconds", "fom_low",
        "fom_high", "expected_seconds", "expected_low", "expected_high", "epochs", "train_samples_per_second",
        "expected_why", "verdict",
    ),
    "strong scaling, time to target": (
        *PLACE, "nodes", "ranks", "runs", "seeds", "median_seconds", "least_seconds", "most_seconds", "speedup",
        "efficiency", "epochs", "epoch_seconds", "joules",
    ),
    "strong scaling, steps": SPEED,
    "weak scaling, steps": SPEED,
    "phases of a step, seconds": (
        *STEPS, "wait", "forward", "backward", "halo", "norm", "reduction", "optimizer", "rest", "evaluation",
    ),
    "bottlenecks, % of a step and its share of the evaluation": (*STEPS, *GROUPS, "largest", "beside_compute"),
    "memory and input": (*STEPS, "least_gib", "most_gib", "read_mb_per_second", "tflops", "peak_percent"),
    "storage trials": (*PLACE, "ranks", "format", "place", "cache", *TRIALS),
    "energy": (
        *NAMED, "joules", "joules_low", "joules_high", "kilowatt_hours", "watts", "joules_per_sample_trained",
        "joules_per_sample_evaluated", "energy_tier",
    ),
}  # fmt: skip
HEADINGS = {  # of columns that are no measures of a set
    "step_seconds": "a step, s",
    "beside_compute": "largest beside computing",
    "least_gib": "memory of a rank, least, GiB",
    "most_gib": "most, GiB",
    "tflops": "TFLOP/s",
    "peak_percent": "of peak, %",
    **TRIALS,
}
SUBMIT = "python harness/submit.py --problem {problem} --org ORG --system SYSTEM"
STUDY = f"{SUBMIT} --study strong --ranks 8 16 32"
MEASURED = f"{SUBMIT} --steps 40"
TRIAL = (
    "python implementations/pytorch_tools/io_trial.py --problem {problem} --data data/{problem} --compute-seconds 0.2 "
    "--log results/{edition}/ORG/results/SYSTEM/throughput/{benchmark}/result_100.txt"
)
MADE_BY = {  # title of a table: the command that makes what it needs
    "time to target": SUBMIT,
    "strong scaling, time to target": STUDY,
    "strong scaling, steps": f"{STUDY} --runs 0",
    "weak scaling, steps": f"{SUBMIT} --study weak --ranks 8 16 32",
    "phases of a step, seconds": MEASURED,
    "bottlenecks, % of a step and its share of the evaluation": MEASURED,
    "memory and input": MEASURED,
    "storage trials": TRIAL,
    "energy": SUBMIT,
}
ABOUT = {"energy": ", on nodes whose counters a run may read (docs/energy.md)", "storage trials": " (docs/io.md)"}
PROJECTION = (
    "projection, a prediction that is neither measured nor checked (docs/scaling.md): "
    "python perf/project.py --problem {problem} --system dgx-h200 --target --ranks 8 16 32"
)
COLUMNS = (
    *("table", "edition", "benchmark", "problem", "division"),
    *dict.fromkeys(column for columns in TABLES.values() for column in columns),
)


def tables(results: Iterable[Result]) -> Iterator[tuple[tuple[str, str, str, str], str, list[Cells]]]:
    """((edition, benchmark, problem, division), name, rows) of every table with more than the place of logs."""

    def key(r: Result) -> tuple[str, str, str, str]:
        edition, benchmark, problem, _, division = r.group
        return edition, benchmark, problem, division

    for group, members in groupby(sorted((r for r in results if not r.weak), key=key), key=key):
        found = list(members)
        trained, measured = [r for r in found if not r.throughput_only], [r for r in found if r.throughput_only]
        steps = [rate for rate in rates(measured) if rate.sound]
        lines = series(steps)
        tried = [t for r in measured for t in input_trials([r]) if r.as_logged or not t.row.errors]
        made: dict[str, Iterable[Cells]] = dict(
            zip(
                TABLES,
                (
                    map(time_to_target, trained),
                    strong_runs(trained, TABLES["strong scaling, time to target"]),
                    scaled(lines, "strong"),
                    scaled(lines, "weak"),
                    (place_of(rate) | seconds(rate.row.run) for rate in steps),
                    (place_of(rate) | shares(seconds(rate.row.run)) for rate in steps),
                    (place_of(rate) | needs(rate.row.run) for rate in steps),
                    map(storage, tried),
                    (measures(r, TABLES["energy"]) for r in trained if r.energy and shown(r)),
                ),
                strict=True,
            )
        )
        for name, rows in made.items():
            known = list(rows)
            if any(row.get(column) is not None for row in known for column in TABLES[name] if column not in STEPS):
                yield group, name, known


def missing(results: Iterable[Result]) -> list[tuple[str, list[str]]]:
    """(title, lines) of the tables that a problem of the edition has no row of, each with the command that makes what
    it needs, and of the projection. ORG and SYSTEM are the submitter's; numbers of ranks are examples."""
    known = [r for r in results if not r.weak and r.group[2] in load(r.judged.edition).problems]
    there: dict[tuple[str, ...], set[str]] = {(*r.group[:3], r.group[4]): set() for r in known}
    for group, name, _ in tables(known):
        there[group].add(name)
    found = []
    for (edition, benchmark, problem, division), names in sorted(there.items()):
        lines = [f"{name}{ABOUT.get(name, '')}: {how}" for name, how in MADE_BY.items() if name not in names]
        told = [line.format(edition=edition, benchmark=benchmark, problem=problem) for line in (*lines, PROJECTION)]
        found.append((title((edition, benchmark, problem, "", division), "missing, and what makes it"), told))
    return found


def time_to_target(r: Result) -> Cells:
    """The row of a set of runs."""
    return measures(r, TABLES["time to target"] if shown(r) else (*NAMED, "ranks", "runs", "verdict")) | middle(r)


def text_in(column: str, row: Cells) -> str:
    """A cell as text: a measure of a set as all views tell it."""
    value, r = row.get(column), row.get("result")
    if r and column not in PLACE and value is not None and column in MEASURES and MEASURES[column].get(r) is not None:
        return record.shown(MEASURES[column], r, spread=False)
    return "-" if value is None else value if isinstance(value, str) else show(value)


def written(results: Sequence[Result]) -> Iterator[tuple[str, list[list[str]]]]:
    """(title, rows with the head first) of each table, without columns that have no value (org and system stay)."""
    for (*group, division), name, rows in tables(results):
        columns = [c for c in TABLES[name] if c in PLACE or any(row.get(c) is not None for row in rows)]
        head = [HEADINGS.get(column) or record.heading(column) for column in columns]
        yield title((*group, "", division), name), [head, *([text_in(c, row) for c in columns] for row in rows)]


def procurement(results: Sequence[Result]) -> dict[str, str]:
    """{format: the tables}: for a terminal and in Markdown, with what is missing; as CSV one below the other, under the
    columns of all, where numbers are not rounded."""
    told, text, marked = list(written(results)), "", ""
    for name, lines in missing(results):
        text += "\n".join(["", name, *(f"  {line}" for line in lines), ""])
        marked += "\n".join(["", f"### {markdown(name)}", "", *(f"- {markdown(line)}" for line in lines), ""])
    found = ((dict(zip(COLUMNS, (name, *group), strict=False)), rows) for group, name, rows in tables(results))
    return {
        "text": text_of(told, "no set of runs, and no log of steps\n") + text,
        "markdown": markdown_of(told) + marked,
        "csv": csv_of(COLUMNS, (place | row for place, rows in found for row in rows)),
    }
