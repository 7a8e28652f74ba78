"""The rows of scaling studies: sets of runs at several numbers of ranks, and logs that measure steps.

A row is a dict of plain values; an unknown value is None or left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from benchmark.study import study_of
from compliance.reading.run import Run
from results.runs.row import first, ratio
from results.statistics.result import Result
from results.tables.rates import Rate, Series

SEEDS = 3  # seeds that a median needs
GIB = 2**30
GROUPS = {  # phases of a step, by the part of a machine that limits them
    "compute": ("forward", "backward", "optimizer"),
    "input": ("wait",),
    "communication": ("halo", "norm", "reduction"),
    "evaluation": ("evaluation",),
    "rest": ("rest",),
}
Cells = dict[str, Any]


def shown(r: Result) -> bool:
    """Whether a set's numbers may be shown: it has no error, or was asked for as logged."""
    return r.as_logged or not r.standing.errors


def middle(r: Result) -> Cells:
    """Runs, seeds, and, from three seeds on, median, least and most seconds of a set whose numbers may be shown."""
    seeds = {row.seed for row in r.rows if row.seed is not None}
    found: Cells = {"runs": len(r.rows), "seeds": len(seeds) or None}  # none are logged
    if shown(r) and len(seeds) >= SEEDS:
        found |= {"median_seconds": median(r.seconds), "least_seconds": min(r.seconds), "most_seconds": max(r.seconds)}
    return found


def strong_runs(results: Sequence[Result]) -> Iterator[Cells]:
    """The sets of each study of one batch and precision, with speedup and efficiency relative to the fewest ranks."""
    studies: dict[tuple[Any, ...], list[tuple[float, Result]]] = {}
    for r in results:
        ranks = r.one("ranks")
        name = study_of(r.system, int(ranks)) if ranks else None
        if ranks and name and shown(r):
            studies.setdefault((r.org, name, r.one("batch"), r.one("precision")), []).append((ranks, r))
    for key, points in sorted(studies.items(), key=lambda item: str(item[0])):
        points.sort(key=lambda point: point[0])
        fewest, least = points[0][0], middle(points[0][1]).get("median_seconds")
        for ranks, r in points if len(points) > 1 else ():
            e, found = r.energy, middle(r)
            speedup = ratio(least, found.get("median_seconds"))
            yield {
                "org": r.org,
                "system": key[1],
                "nodes": r.one("nodes"),
                "ranks": ranks,
                **found,
                "speedup": speedup,
                "efficiency": ratio(speedup, ranks / fewest),
                "epochs": r.mean("epochs"),
                "epoch_seconds": r.mean("epoch_seconds"),
                "kilojoules": e.joules.mean / 1000 if e else None,
            }


def place_of(rate: Rate) -> Cells:
    """The columns that say which log a row is of."""
    return {"org": rate.org, "system": rate.system, "units": rate.units, "layout": rate.shape, "batch": rate.batch}


def scaled(lines: Iterable[Series], kind: str) -> Iterator[Cells]:
    """The logs of each series of a kind, with speedup and efficiency relative to the fewest units."""
    for line in lines:
        if line.kind == kind:
            fewest = line.rates[0].units
            for rate in line.rates:
                efficiency = line.efficiency(rate)
                yield place_of(rate) | {
                    "samples_per_second": rate.rate,
                    "step_seconds": ratio(rate.batch, rate.rate),
                    "speedup": efficiency * rate.units / fewest,
                    "efficiency": efficiency,
                }


def measured(run: Run, name: str) -> Any:
    """A number that a log of steps gives for all its steps."""
    return run.measured.value.get(name) if run.measured else None


def seconds(run: Run) -> dict[str, float | None]:
    """{phase: seconds of a step}; evaluation is the step's share of one."""
    found = measured(run, "seconds")
    known = found if isinstance(found, dict) else {}
    return {name: first(known.get(name)) for names in GROUPS.values() for name in names}


def shares(phases: dict[str, float | None]) -> Cells:
    """Percent of a step in each group of phases, the largest group, and the largest beside computing."""
    total = sum(s for s in phases.values() if s)
    if not total:
        return {}
    found = {group: 100 * sum(phases[name] or 0 for name in names) / total for group, names in GROUPS.items()}
    beside = {group: share for group, share in found.items() if group not in ("compute", "evaluation")}
    return found | {"largest": max(found, key=found.__getitem__), "beside_compute": max(beside, key=beside.__getitem__)}


def needs(run: Run) -> Cells:
    """The memory of a rank, the bytes read per second, and the operations per second."""
    memory, read = measured(run, "peak_memory_bytes"), measured(run, "bytes_read")
    memory, read = (value if isinstance(value, dict) else {} for value in (memory, read))
    setup = run.value("throughput_setup")
    steps = first(setup.get("steps")) if isinstance(setup, dict) else None
    step, total, share = (
        first(v) for v in (measured(run, "step_seconds"), read.get("total"), measured(run, "peak_share"))
    )
    time = steps * step if steps and step else None
    return {
        "least_gib": ratio(first(memory.get("least_by_rank")), GIB),
        "most_gib": ratio(first(memory.get("most_by_rank")), GIB),
        "read_mb_per_second": ratio(ratio(total, 1e6), time),
        "tflops": first(measured(run, "model_tflops")),
        "peak_percent": None if share is None else 100 * share,
    }
