"""The table that everything else is drawn from: a pandas DataFrame, one row a run.

    from results.frame import load
    runs = load(["results/"])
    runs.groupby("set").seconds.describe()

COLUMNS lists every column with its meaning. Times that are sums of logged times are whole milliseconds, so that
`total_ms == staging_ms + training_ms + evaluation_ms + rest_ms` holds exactly in every row that has them.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from results.columns import COLUMNS, REPEATED, TYPES
from results.law import Law, edition_of, law
from results.outcome import decompose, energy, epoch_count, reached
from results.power import measured_energy
from results.run import Evaluation, Run, number, read_run, short, text
from results.submission import RunSet, find_sets, read_system, run_number

Progress = Callable[[Iterable, int], Iterable]


def load(paths: Iterable[str | Path], progress: Progress | None = None, edition: str | None = None) -> pd.DataFrame:
    """The runs at or below `paths`, sorted by set and number. Raises ValueError for a path that doesn't exist.

    `progress(rows, total)` may wrap the rows as they are read, as tqdm does. `edition` overrules what folders and
    logs say.
    """
    return load_sets(find_sets([Path(p) for p in paths]), progress, edition)


def load_sets(sets: Sequence[RunSet], progress: Progress | None = None, edition: str | None = None) -> pd.DataFrame:
    """The runs of sets that have been found."""
    logs = sum(len(s.logs) + len(s.pruned) for s in sets)
    rows = (row for s in sets for row in rows_of(s, edition))
    return table(progress(rows, logs) if progress else rows)


VERSION = re.compile(r"v\d+\.\d+.*")
CHUNK = 2000  # rows held as dicts at a time: columns of a DataFrame take a tenth of the memory


def table(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Rows as a DataFrame with all COLUMNS, in that order, derived ones computed."""
    rows, chunks = iter(rows), []
    while chunk := list(itertools.islice(rows, CHUNK)):
        chunks.append(derive(pd.DataFrame(chunk).reindex(columns=list(COLUMNS)).astype(TYPES)))
    frame = pd.concat(chunks, ignore_index=True) if chunks else pd.DataFrame(columns=list(COLUMNS)).astype(TYPES)
    return frame.astype(dict.fromkeys(REPEATED, "category"))


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns that follow from others; NaN where anything they need is missing or a divisor is 0."""
    seconds = frame.total_ms / 1000
    hours = seconds / 3600
    frame["seconds_per_epoch"] = ratio(seconds, frame.epochs)
    trained = frame.train_samples * frame.passes
    trained_in_epochs = frame.train_samples * frame.epochs
    busy = (frame.training_ms + frame.evaluation_ms) / 1000
    frame["epoch_seconds"] = ratio(busy, frame.epochs)
    frame["epochs_per_minute"] = ratio(60 * frame.epochs, busy)
    frame["epoch_train_rate"] = ratio(trained_in_epochs, frame.training_ms / 1000)
    frame["sample_rate"] = ratio(trained_in_epochs + frame.eval_samples * frame.evaluations, busy)
    frame["train_rate"] = ratio(trained, frame.training_ms / 1000)
    frame["compute_rate"] = ratio(trained, (frame.total_ms - frame.staging_ms) / 1000)
    frame["eval_rate"] = ratio(frame.eval_samples * frame.evaluations, frame.evaluation_ms / 1000)
    frame["train_rate_per_unit"] = ratio(frame.train_rate, frame.units)
    frame["eval_rate_per_unit"] = ratio(frame.eval_rate, frame.units)
    frame["unit_hours"] = frame.units * hours
    frame["node_hours"] = frame.nodes * hours
    return frame


def ratio(a: pd.Series, b: pd.Series) -> pd.Series:
    """a / b, NaN where b isn't positive."""
    return a / b.where(b > 0)


def rows_of(runs: RunSet, asked: str | None = None) -> Iterator[dict[str, Any]]:
    """One row for each log of a set. Only one log is in memory at a time."""
    system, edition = read_system(runs), edition_of(runs, asked)
    for pruned, logs in ((False, runs.logs), (True, runs.pruned)):
        for log in logs:
            yield row(runs, read_run(log), system, edition, pruned)


def row(runs: RunSet, run: Run, system: dict[str, Any], edition: str | None, pruned: bool = False) -> dict[str, Any]:
    """One run as a row."""
    return {
        "set": runs.name,
        "edition": round_of(runs, edition),
        **{name: getattr(runs.id, name) for name in ("org", "system", "scaling", "benchmark")},
        "problem": text(run.value("problem")),
        "division": division(system, run),
        "category": text(run.value("submission_status")),
        "logged_benchmark": text(run.value("submission_benchmark")),
        "logged_edition": text(run.value("rules_edition")),
        "logged_division": text(run.value("submission_division")),
        "run": run_number(run.path),
        "log": str(run.path),
        "pruned": pruned,
        **scale(run, system, runs.id.scaling == "weak"),
        "seed": None if run.value("seed") is None else str(run.value("seed"))[:40],
        "seed_line": run.line("seed"),
        "batch_line": run.line("global_batch_size"),
        **{f"{kind}_line": run.lines.get(kind) for kind in ("staging", "epoch", "eval")},
        **times(run, law(edition, runs.id.benchmark, run)),
        "throughput_only": run.throughput_only,
        "measured_rate": number(run.measured.value.get("throughput")) if run.measured else None,
        "measured_line": run.measured.line if run.measured else None,
        "layout": layout(run.value("layout")),
        "precision": text(run.value("precision")),
        "settings": settings(run.value("hyperparameters")),
    }


# What changes how a step is computed, and what it is where nothing is said: the reference's defaults.
DEFAULTS = {
    "sharding": "ddp",
    "recompute": False,
    "recompute_norms": False,
    "join": "auto",
    "compile": False,
    "accumulate": 1,
}


def settings(value: Any) -> str | None:
    """Those of a log's hyperparameters that are not the default, in words; None where all are, or none is known."""
    known = value if isinstance(value, dict) else {}
    odd = {name: known[name] for name, default in DEFAULTS.items() if known.get(name, default) != default}
    return ", ".join(name if v is True else f"{name}={v if plain(v) else short(v)}" for name, v in odd.items()) or None


def plain(value: Any) -> bool:
    """Whether it is a short word."""
    return isinstance(value, str) and value.isidentifier() and len(value) <= 20


AXES = ("data", "depth", "height", "width")


def layout(value: Any) -> str | None:
    """A layout of ranks in words; None of anything else."""
    extents = [value.get(axis) for axis in AXES] if isinstance(value, dict) else []
    sound = extents and all(type(n) is int and 0 < n < 1 << 31 for n in extents)
    return " x ".join(map(str, extents)) if sound else None


def division(system: dict[str, Any], run: Run) -> str | None:
    """The description's word counts: it is what a set was published under, while logs of v0.7 say "closed" in a set of
    the open division."""
    said = system.get("division")
    return said.strip().lower() if isinstance(said, str) and said.strip() else text(run.value("submission_division"))


def round_of(runs: RunSet, edition: str | None) -> str:
    """The edition's name; with the round's own where its folder names another version, so that the two never mix."""
    folder = runs.id.edition
    if edition is None or not VERSION.fullmatch(folder) or edition.endswith(folder):
        return edition or folder
    return f"{folder} (held against {edition})"


def scale(run: Run, system: dict[str, Any], one_of_many: bool = False) -> dict[str, Any]:
    """On how much of which machine a run ran. Some that train many models at once log the nodes of all of them:
    ranks, one to an accelerator, then tell how many were this model's."""
    nodes = first(run.value("number_of_nodes"), system.get("number_of_nodes"))
    accelerators = first(run.value("accelerators_per_node"), system.get("accelerators_per_node"))
    processors = first(system.get("host_processors_per_node"))
    per_node, unit = (accelerators, "accelerator") if accelerators else (processors, "processor")
    if not per_node:
        per_node, unit = 1, "node"
    units = nodes * per_node if nodes else None
    ranks = first(run.value("number_of_ranks"))
    if one_of_many and accelerators and ranks and units and ranks < units:
        units = ranks
    return {
        "nodes": nodes,
        "accelerators_per_node": accelerators,
        "units": units,
        "unit": unit,
        "system_units": described * per_node if (described := first(system.get("number_of_nodes"))) else units,
        "batch": first(run.value("global_batch_size")),
        "train_samples": first(run.value("train_samples")),
        "eval_samples": first(run.value("eval_samples")),
    }


def first(*values: Any) -> float | None:
    """The first that is a number, or the digits of one; commas and blanks in it don't matter. Never negative."""
    for value in values:
        if isinstance(value, str):
            digits = value.replace(",", "").strip()
            value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
        if number(value) is not None and value >= 0:
            return value
    return None


def times(run: Run, bound: Law) -> dict[str, Any]:
    """When and how fast."""
    hit = None if run.throughput_only else reached(run, bound.target, bound.higher_is_better)
    last = hit or (run.evaluations[-1] if run.evaluations else None)
    found: dict[str, Any] = {
        "start_ms": run.start.time_ms if run.start else None,
        "stop_ms": run.stop.time_ms if run.stop else None,
        "start_line": run.start.line if run.start else None,
        "stop_line": run.stop.line if run.stop else None,
        "status": run.status,
        "target": bound.target,
        "converged": hit is not None,
        "target_line": hit.line if hit else None,
        "step_ms": step(run, hit) if hit else None,
        "seconds": math.inf,
        "epochs": epoch_count(run),
        "passes": passes(run, last),
        "evaluations": len(run.evaluations),
        "quality": last.value if last else None,
        "fault": fault(run, bound, hit is not None),
    }
    parts = decompose(run)
    if parts is None:
        return found
    if hit:
        found["seconds"] = parts.total / 1000
    found |= {f"{name}_ms": getattr(parts, name) for name in ("total", "staging", "training", "evaluation", "rest")}
    found["joules"] = measured_energy(run) if not run.readings else energy(run.readings, run.window)
    return found


def step(run: Run, hit: Evaluation) -> int | None:
    """Milliseconds since the evaluation before; None where it was the first, or the clock runs back."""
    before = [e.time_ms for e in run.evaluations if e.line < hit.line]
    return hit.time_ms - before[-1] if before and hit.time_ms > before[-1] else None


def passes(run: Run, last: Evaluation | None) -> float | None:
    """Passes over the training split up to an evaluation. A step count is believed only where it fits the epochs."""
    epochs = epoch_count(run)
    step, batch, samples = (
        (last.step if last else None),
        first(run.value("global_batch_size")),
        first(run.value("train_samples")),
    )
    if epochs and step and batch and samples and epochs - 1.1 <= step * batch / samples <= epochs * 1.02:
        return step * batch / samples
    return epochs


def fault(run: Run, bound: Law, converged: bool) -> str | None:
    """Why a run counts as not converged, in words."""
    if converged:
        return None
    if run.throughput_only:
        return "throughput only: it trains to no target"
    if run.window is None:
        return run.faults[-1] if run.faults else "no timed span"
    if bound.target is None:
        return "no target is known for this benchmark, edition and problem"
    if not run.evaluations:
        return "no evaluation that is a number"
    return f"no evaluation at or before run_stop met the target {bound.target:g}"
