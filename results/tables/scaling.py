"""The rows of scaling studies: sets of runs at several numbers of ranks, and logs that measure steps.

A row is a dict of plain values; an unknown value is None or left out. The row of a set has it as `result`, too: its
errors say how many digits measures have.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from benchmark.study import study_of
from compliance.reading.run import Run
from results.measures.registry import MEASURES
from results.runs.row import first, ratio
from results.statistics.result import Result
from results.tables.input_trials import NUMBERS, InputTrial
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
TRIALS = {  # columns of trials of the storage: their headings
    "read_samples_per_second": "samples read a second",
    "au_percent": "AU %",
    "decoded_mb_per_second": "MB/s decoded",
    "read_mb_per_second": "read MB/s",
    "over_memory": "over memory",
}
Cells = dict[str, Any]


def shown(r: Result) -> bool:
    """Whether a set's numbers may be shown: it has no error, or was asked for as logged."""
    return r.as_logged or not r.standing.errors


def measures(r: Result, names: Iterable[str]) -> Cells:
    """The row of a set: the measures that the registry has under some of these names."""
    return {"result": r} | {name: MEASURES[name].get(r) for name in names if name in MEASURES}


def middle(r: Result) -> Cells:
    """Median, least and most seconds of a set whose numbers may be shown, from three seeds on, also if it has no figure
    of merit."""
    if not shown(r) or len(r.seeds) < SEEDS:
        return {}
    return {"median_seconds": median(r.seconds), "least_seconds": min(r.seconds), "most_seconds": max(r.seconds)}


def strong_runs(results: Sequence[Result], names: Iterable[str]) -> Iterator[Cells]:
    """The sets of each study of one batch and precision: the measures `names`, speedup and efficiency relative to the
    fewest ranks."""
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
            found = measures(r, names) | middle(r)
            speedup = ratio(least, found["median_seconds"])
            relative = {"system": key[1], "speedup": speedup, "efficiency": ratio(speedup, ranks / fewest)}
            yield found | relative


def place_of(rate: Rate) -> Cells:
    """The columns that say which log a row is of."""
    place = {"org": rate.of.org, "system": rate.of.system, "units": rate.units}
    return place | {"layout": rate.shape, "batch": rate.row.batch}


def scaled(lines: Iterable[Series], kind: str) -> Iterator[Cells]:
    """The logs of each series of a kind, with speedup and efficiency relative to the fewest units."""
    for line in lines:
        if line.kind == kind:
            fewest = line.rates[0].units
            for rate in line.rates:
                efficiency = line.efficiency(rate)
                yield place_of(rate) | {
                    "train_samples_per_second": rate.rate,
                    "step_seconds": ratio(rate.row.batch, rate.rate),
                    "speedup": efficiency * rate.units / fewest,
                    "efficiency": efficiency,
                }


def storage(t: InputTrial) -> Cells:
    """What a trial of the storage shows."""
    place = {"org": t.of.org, "system": t.of.system, "ranks": t.ranks}
    read = {"format": t.tried.format, "place": t.tried.place, "cache": t.tried.cache}
    return place | read | {column: NUMBERS[name](t.tried) for column, name in TRIALS.items()}


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
    total = math.fsum(s for s in phases.values() if s)
    if not total:
        return {}
    found = {group: 100 * math.fsum(phases[name] or 0 for name in names) / total for group, names in GROUPS.items()}
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
