"""Making a row of the table of runs from a judged log."""

import math
import re
from typing import Any

from compliance.finding import errors
from compliance.reading.energy import METER, UNSOUND, shortfall
from compliance.reading.run import Fact, Run
from compliance.reading.series import Evaluation
from compliance.reading.values import count_of, fields
from compliance.verdict import LogVerdict, SetVerdict
from results.runs.columns import Row
from results.runs.decomposition import decompose, epoch_count, first_epoch, is_beside, staged_before
from results.runs.utilization import utilization

LARGEST = 2**63  # larger numbers, infinities and NaN are not taken as measurements
VERSION = re.compile(r"v\d+\.\d+.*")


def scaling(runs: SetVerdict) -> str:
    """The scaling of a set: strong if no folder says it, as in MLPerf HPC v0.7."""
    return runs.scaling or "strong"


def row(runs: SetVerdict, log: LogVerdict) -> Row:
    """The row of a log of a set."""
    run = log.run
    values = {
        "problem": text(run.value("problem")),
        "division": run.division or None,
        "category": text(run.value("submission_status")),
        **scale(run, runs.description, runs.scaling == "weak"),
        **energy(runs, log),
        **seed(run),
        **times(run),
        **utilization(run),
        "measured_rate": number(run.measured.value.get("throughput")) if run.measured else None,
        "layout": layout(run.value("layout")),
        "precision": text(run.value("precision")),
        "settings": settings(run.value("hyperparameters")),
    }
    return Row(log, **values, **rates(values))


def energy(runs: SetVerdict, log: LogVerdict) -> dict[str, Any]:
    """The columns of energy; {} without a sound measurement. Counters must cover the whole machine."""
    run, found = log.run, log.run.energy
    if found is None:
        return {}
    if found.tier != METER:
        nodes, packages = run.value("number_of_nodes"), runs.description.get("host_processors_per_node")
        devices = run.value("accelerators_per_node")
        unsound = any(finding.code in UNSOUND for finding in errors(log.findings))
        if unsound or run.coverage is None or shortfall(run.coverage, *map(count_of, (nodes, packages, devices))):
            return {}
    joules = dict(zip(("joules", "training_joules", "evaluation_joules"), map(number, found[1:]), strict=True))
    return {"energy_tier": found.tier, **joules}


def seed(run: Run) -> dict[str, Any]:
    """The columns of the first seed."""
    found = run.facts.get("seed")
    if found is None or found.value is None:
        found = Fact(*run.seeds[0]) if run.seeds else None
    return {"seed": str(found.value)[:40], "seed_line": found.line} if found else {}


# The settings that change how a step is computed, with the reference's defaults.
DEFAULTS = {
    "sharding": "ddp",
    "recompute": False,
    "recompute_norms": False,
    "join": "auto",
    "compile": False,
    "accumulate": 1,
}


def settings(value: Any) -> str | None:
    """The hyperparameters that differ from DEFAULTS, in words; None if none does."""
    known = value if isinstance(value, dict) else {}
    odd = {name: known[name] for name, default in DEFAULTS.items() if known.get(name, default) != default}
    return ", ".join(name if v is True else f"{name}={str(v)[:60]}" for name, v in odd.items()) or None


AXES = ("data", "depth", "height", "width")


def layout(value: Any) -> tuple[int, ...] | None:
    """The extents of a logged layout; None if it is not valid."""
    extents = fields(value, *AXES)
    return tuple(extents) if all(type(n) is int and 0 < n < 1 << 31 for n in extents) else None


def round_of(runs: SetVerdict) -> str:
    """The edition, with the round's name if its folder names another version: the two are never ranked together."""
    if not VERSION.fullmatch(runs.round) or runs.edition.endswith(runs.round):
        return runs.edition
    return f"{runs.round} (checked by {runs.edition})"


def scale(run: Run, system: dict[str, Any], one_of_many: bool = False) -> dict[str, Any]:
    """The columns of nodes, units, batch and samples. Where many models train at once, some logs name the nodes of all
    models; the number of ranks, one for each accelerator, then gives the units of this model."""
    nodes = first(run.value("number_of_nodes"), system.get("number_of_nodes"))
    accelerators = first(run.value("accelerators_per_node"), system.get("accelerators_per_node"))
    processors = first(system.get("host_processors_per_node"))
    per_node, unit = (accelerators, "accelerator") if accelerators else (processors, "processor")
    if not per_node:
        per_node, unit = 1, "node"
    units = nodes * per_node if nodes else None
    # A model that shares its node with others logs only its own accelerators.
    whole = max(per_node, first(system.get("accelerators_per_node")) or 0) if one_of_many and accelerators else per_node
    ranks = first(run.value("number_of_ranks"))
    if one_of_many and accelerators and ranks and units and ranks < units:
        units = ranks
    return {
        "nodes": nodes,
        "ranks": ranks,
        "accelerators_per_node": accelerators,
        "units": units,
        "unit": unit,
        "system_units": described * whole if (described := first(system.get("number_of_nodes"))) else units,
        "batch": first(run.value("global_batch_size")),
        "train_samples": first(run.value("train_samples")),
        "eval_samples": first(run.value("eval_samples")),
    }


def first(*values: Any) -> float | None:
    """The first value that is a number of 0 or more, or its digits as text, with or without commas; None if none is."""
    for value in values:
        if isinstance(value, str):
            digits = value.replace(",", "").strip()
            value = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
        if number(value) is not None and value >= 0:
            return float(value)
    return None


def number(value: Any) -> float | None:
    """The value if it is a finite number, else None. A bool is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LARGEST < value < LARGEST else None


def text(value: Any) -> str | None:
    """The value if it is text, else None."""
    return value if isinstance(value, str) else None


def times(run: Run) -> dict[str, Any]:
    """The columns of times, epochs and quality. `seconds` is infinite if the run missed its target or has no timed
    span."""
    counts = run.converged and run.window is not None and not run.throughput_only
    last = run.passing or (run.evaluations[-1] if run.evaluations else None)
    begun = epoch_count(run)
    return {
        **decompose(run),
        "target": run.target,
        "converged": counts,
        "step_ms": step(run, run.passing) if counts and run.passing else None,
        "seconds": run.seconds if counts else math.inf,
        "epochs": begun,
        "staged_ms": staged_before(run),
        "first_epoch_seconds": ratio(first_epoch(run), 1000),
        "passes": passes(run, last),
        "evaluations": len(run.evaluations),
        "quality": number(last.value) if last else None,
        "fault": None if counts else fault(run),
    }


def step(run: Run, hit: Evaluation) -> int | None:
    """Milliseconds since the previous evaluation; None for the first one, or if the clock ran backwards."""
    before = [e.time_ms for e in run.evaluations if e.line < hit.line]
    return hit.time_ms - before[-1] if before and hit.time_ms > before[-1] else None


def passes(run: Run, last: Evaluation | None) -> float | None:
    """Passes over the training split until an evaluation: by samples if the log counts them, by the evaluation's epoch
    if it ran beside later ones, by steps if these agree with the epochs, else by epochs."""
    epochs, counted = epoch_count(run), number(run.samples)
    batch, samples = (first(run.value(key)) for key in ("global_batch_size", "train_samples"))
    if counted is not None:
        return ratio(counted, samples)
    if epochs and last and last.epoch is not None and is_beside(run) and 0 < last.epoch + run.shift <= epochs:
        return last.epoch + run.shift
    step = last.step if last else None
    if epochs and step and batch and samples and epochs - 1.1 <= step * batch / samples <= epochs * 1.02:
        return step * batch / samples
    return epochs


def fault(run: Run) -> str:
    """Why a run counts as not converged."""
    if run.throughput_only:
        return "throughput only: it trains to no target"
    for name, mark in (("run_start", run.start), ("run_stop", run.stop)):
        if mark is None or mark.time_ms is None:
            return f"no {name}" if mark is None else f"the time of {name} (line {mark.line}) is none"
    if run.window is None and run.start and run.stop:
        return f"run_stop (line {run.stop.line}) is not later than run_start (line {run.start.line})"
    if run.target is None:
        return "no target is known for this benchmark, edition and problem"
    if not run.evaluations:
        return f"no {run.metric} that is a number between run_start and run_stop"
    return f"no evaluation at or before run_stop met the target {run.target:g}"


def rates(v: dict[str, Any]) -> dict[str, Any]:
    """The columns that follow from others; None if a number is missing or a divisor is 0."""
    total, staging, training, evaluation = (
        ratio(v.get(f"{name}_ms"), 1000) for name in ("total", "staging", "training", "evaluation")
    )
    busy = None if training is None else training + (evaluation or 0)
    outside = None if total is None else total - (staging or 0)
    first = v.get("first_epoch_seconds")
    later = None if busy is None or first is None else busy - first
    epochs, units = v["epochs"], v["units"]
    trained = product(v["train_samples"], v["passes"])
    evaluated = product(v["eval_samples"], v["evaluations"])
    train_rate = ratio(trained, training)
    return {
        "trained": trained,
        "epoch_seconds": ratio(busy, epochs),
        "later_epoch_seconds": None if epochs is None else ratio(later, epochs - 1),
        "epochs_per_minute": ratio(product(60, epochs), busy),
        "sample_rate": ratio(None if trained is None or evaluated is None else trained + evaluated, busy),
        "train_rate": train_rate,
        "compute_rate": ratio(trained, outside),
        "eval_rate": ratio(evaluated, evaluation),
        "train_rate_per_unit": ratio(train_rate, units),
        "unit_hours": product(units, ratio(total, 3600)),
        "node_hours": product(v["nodes"], ratio(total, 3600)),
    }


def ratio(a: float | None, b: float | None) -> float | None:
    """a / b; None if one is missing or infinite, or b is not positive."""
    return a / b if a is not None and b is not None and math.isfinite(a) and math.isfinite(b) and b > 0 else None


def product(*factors: float | None) -> float | None:
    """The product of the factors; None if one is missing."""
    known = [factor for factor in factors if factor is not None]
    return math.prod(known) if len(known) == len(factors) else None
