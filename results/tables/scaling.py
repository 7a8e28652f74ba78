"""Rows of scaling studies: sets of runs at several numbers of ranks, and logs that measure steps, with the phases of a
step and what a rank needs. A row is a dict of plain values; what isn't known is left out or None."""

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from benchmark.study import study_of
from compliance.reading.run import Run
from results.statistics.result import Result
from results.tables.rates import Rate, Series
from results.tables.row import first

SEEDS = 3  # of which there is a median
GIB = 2**30
GROUPS = {  # phases of a step, by what a machine needs more of
    "compute": ("forward", "backward", "optimizer"),
    "input": ("wait",),
    "communication": ("halo", "norm", "reduction"),
    "evaluation": ("evaluation",),
    "rest": ("rest",),
}
Cells = dict[str, Any]


def shown(r: Result) -> bool:
    """Whether a set's numbers may be shown: the checker finds no error."""
    return r.as_logged or not r.standing.errors


def one(rows: Sequence[Run], key: str) -> float | None:
    """A number that all runs log alike."""
    found = {first(run.value(key)) for run in rows}
    return found.pop() if len(found) == 1 else None


def middle(r: Result) -> Cells:
    """Median, least and most seconds of a set's runs, where they have three seeds at least and numbers may be shown."""
    seeds = {row.seed for row in r.rows if row.seed is not None}
    found: Cells = {"runs": len(r.rows), "seeds": len(seeds)}
    if shown(r) and len(seeds) >= SEEDS:
        found |= {"median_seconds": median(r.seconds), "least_seconds": min(r.seconds), "most_seconds": max(r.seconds)}
    return found


def strong_runs(results: Sequence[Result]) -> Iterator[Cells]:
    """Sets of a study next to that of the fewest ranks: same batch and precision, another number of ranks."""
    studies: dict[tuple, list[tuple[float, Result]]] = {}
    for r in results:
        ranks = one(r.runs, "number_of_ranks")
        name = study_of(r.system, int(ranks)) if ranks else None
        if name and shown(r):
            studies.setdefault((r.org, name, r.one("batch"), r.one("precision")), []).append((ranks, r))
    for key, points in sorted(studies.items(), key=lambda item: str(item[0])):
        points.sort(key=lambda point: point[0])
        fewest, least = points[0][0], middle(points[0][1]).get("median_seconds")
        for ranks, r in points if len(points) > 1 else ():
            e, found = r.energy, middle(r)
            speedup = quotient(least, found.get("median_seconds"))
            yield {
                "org": r.org,
                "system": key[1],
                "nodes": r.one("nodes"),
                "ranks": ranks,
                **found,
                "speedup": speedup,
                "efficiency": quotient(speedup, ranks / fewest),
                "epochs": r.mean("epochs"),
                "epoch_seconds": r.mean("epoch_seconds"),
                "kilojoules": e.joules.mean / 1000 if e else None,
            }


def quotient(a: float | None, b: float | None) -> float | None:
    """a / b; None where one is missing, infinite, or b is not positive."""
    return a / b if a is not None and b is not None and math.isfinite(a) and math.isfinite(b) and b > 0 else None


def place_of(rate: Rate) -> Cells:
    """A log that measures throughput alone."""
    return {"org": rate.org, "system": rate.system, "units": rate.units, "layout": rate.shape, "batch": rate.batch}


def scaled(lines: Iterable[Series], kind: str) -> Iterator[Cells]:
    """The logs of each series of a kind, next to those of the fewest units."""
    for line in lines:
        if line.kind == kind:
            fewest = line.rates[0].units
            for rate in line.rates:
                efficiency = line.efficiency(rate)
                yield place_of(rate) | {
                    "samples_per_second": rate.rate,
                    "step_seconds": quotient(rate.batch, rate.rate),
                    "speedup": efficiency * rate.units / fewest,
                    "efficiency": efficiency,
                }


def measured(run: Run, name: str) -> Any:
    """A figure of all steps together."""
    return run.measured.value.get(name) if run.measured else None


def seconds(run: Run) -> dict[str, float | None]:
    """Seconds of a step by phase, and of its share of an evaluation."""
    found = measured(run, "seconds")
    known = found if isinstance(found, dict) else {}
    return {name: first(known.get(name)) for names in GROUPS.values() for name in names}


def shares(phases: dict[str, float | None]) -> Cells:
    """What a step's time goes to, in per cent; the largest of it, and the largest beside computing."""
    total = sum(s for s in phases.values() if s)
    if not total:
        return {}
    found = {group: 100 * sum(phases[name] or 0 for name in names) / total for group, names in GROUPS.items()}
    beside = {group: share for group, share in found.items() if group not in ("compute", "evaluation")}
    return found | {"largest": max(found, key=found.get), "beside_compute": max(beside, key=beside.get)}


def needs(run: Run) -> Cells:
    """Memory of a rank, bytes read a second, and operations a second."""
    memory, read = measured(run, "peak_memory_bytes"), measured(run, "bytes_read")
    memory, read = (value if isinstance(value, dict) else {} for value in (memory, read))
    setup = run.value("throughput_setup")
    steps = first(setup.get("steps")) if isinstance(setup, dict) else None
    step, total, share = (
        first(v) for v in (measured(run, "step_seconds"), read.get("total"), measured(run, "peak_share"))
    )
    time = steps * step if steps and step else None
    return {
        "least_gib": quotient(first(memory.get("least_by_rank")), GIB),
        "most_gib": quotient(first(memory.get("most_by_rank")), GIB),
        "read_mb_per_second": quotient(quotient(total, 1e6), time),
        "tflops": first(measured(run, "model_tflops")),
        "peak_percent": None if share is None else 100 * share,
    }
