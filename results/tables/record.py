"""A result as one flat record: the columns of CSV and JSON, in fixed order.

A column without value is empty (CSV) or null (JSON). Numbers are not rounded. Means and deviations (n - 1) are over the
runs that the figure of merit averages, in a weak set over its unpruned models.
"""

from typing import Any

from results.statistics.energy import a_sample
from results.statistics.result import Result
from results.statistics.score import harmonic
from results.tables.formatting import finite
from results.tables.utilization import busy_epochs

COLUMNS = {
    "edition": "the edition of the rules that the set was checked by",
    "benchmark": "the benchmark's folder",
    "problem": "the problem, as logged",
    "scaling": "strong: seconds to train one model; weak: models per hour of a whole system",
    "kind": "capability: one model on all units; capacity: many at once, each on one; hybrid: many, each split",
    "division": "closed or open",
    "category": "onprem, cloud, research ...",
    "rank": "place in its edition, benchmark, problem, scaling and division; a range among sets that can't be told "
    "apart: Yuen and Welch's test of each pair's ratio, corrected for all pairs by Holm, or runs that separate",
    "org": "the organisation's folder",
    "system": "the system's folder",
    "verdict": "clean, review (findings that a person must judge), errors, and how many are waived",
    "errors": "errors that the checker found and no waiver covers, without those in pruned logs",
    "reviews": "findings that a person must judge, and no waiver covers",
    "waived": "errors, and findings for a person to judge, that a waiver covers",
    "reviewed": "points that people must judge of its submission: how many reviewers accepted, and their objections",
    "why": "why there is no score, if there is none",
    "as_logged_seconds": "the figure of merit that a set without score would have if its errors were none",
    "as_logged_place": "the place that it would have among the sets with a rank",
    "runs": "runs in the set, pruned models not counted",
    "converged": "runs that met the target",
    "required": "runs that a score needs",
    "dropped": "runs dropped from each end (k)",
    "fom_seconds": "the figure of merit: trimmed mean of seconds",
    "fom_minutes": "the same in minutes",
    "fom_low": "95 % interval of the figure of merit, seconds, low end (Tukey-McLaughlin)",
    "fom_high": "high end",
    "fom_standard_error": "its standard error",
    "fom_degrees": "its degrees of freedom",
    "median_seconds": "median",
    "median_low": "interval of the median between order statistics, low end",
    "median_high": "high end",
    "median_level": "the exact level of that interval",
    "models_per_hour": "1/T: 3600 over the figure of merit; for weak sets M over TTTa",
    "cv": "coefficient of variation of the converged runs' seconds",
    "cv_epochs": "the same of their epochs",
    "cv_seconds_per_epoch": "the same of their seconds per epoch",
    "share_epochs": "share of the variance of log seconds that goes with the epochs",
    "epochs": "mean epochs",
    "epochs_deviation": "their deviation",
    "passes": "mean passes over the training split: as counted by the log, else epochs",
    "passes_deviation": "their deviation",
    "seconds_per_epoch": "mean total seconds over epochs",
    "staging_seconds": "mean seconds of staging",
    "staging_deviation": "their deviation",
    "training_seconds": "mean seconds in epochs, without evaluation and staging",
    "evaluation_seconds": "mean seconds of evaluation",
    "rest_seconds": "mean seconds outside of these three",
    "staging_share": "staging over total, of the means",
    "train_rate": "samples trained a second of training, mean; as the logs state it where evaluations run beside it",
    "train_rate_deviation": "its deviation",
    "compute_rate": "samples trained a second of all that isn't staging, mean",
    "compute_rate_deviation": "its deviation",
    "eval_rate": "samples evaluated a second of evaluation, mean",
    "epoch_seconds": "seconds of an epoch with its evaluations, mean",
    "epoch_seconds_deviation": "its deviation",
    "staging_epochs": "staging over an epoch's seconds, of the means: how many epochs staging costs",
    "epochs_per_minute": "epochs a minute, harmonic mean",
    "epochs_per_minute_deviation": "its deviation, of the times: how much faster one deviation less time is",
    "epoch_train_rate": "samples trained a second, epochs counted whole unless samples are, harmonic mean",
    "epoch_train_rate_deviation": "its deviation, of the times",
    "epoch_eval_rate": "samples evaluated a second, harmonic mean",
    "epoch_eval_rate_deviation": "its deviation, of the times",
    "sample_rate": "samples trained and evaluated a second of both, harmonic mean",
    "sample_rate_deviation": "its deviation, of the times",
    "train_rate_per_unit": "train_rate over units",
    "au": "accelerator utilization: the share of training in which a rank did not wait for data, mean of the runs",
    "au_deviation": "its deviation",
    "au_first": "the same of the first epoch",
    "au_later": "the same of those after it",
    "au_barrier": "the same of all epochs, with the wait of each step's slowest rank",
    "au_by_epoch": "the same of each of the first 50 epochs, separated by blanks",
    "nodes": "nodes of a run",
    "units": "accelerators of a run, or processors, or nodes",
    "unit": "what `units` counts: accelerator, processor or node",
    "batch": "global batch size",
    "unit_hours": "compute budget: units times hours, mean",
    "unit_hours_deviation": "its deviation",
    "node_hours": "nodes times hours, mean",
    "node_hours_deviation": "its deviation",
    "energy_tier": "what measured the energy of all runs: meter, node, component (informative), rehearsal (none)",
    "joules": "energy to the target if all converged runs were measured: trimmed like the figure of merit, in weak "
    "sets the mean of a model",
    "joules_low": "its 95 % interval, low end",
    "joules_high": "high end",
    "watts": "mean power of a run",
    "joules_per_sample": "the energy over samples trained, epochs counted whole unless samples are, mean",
    "joules_per_sample_trained": "energy of the epochs over samples trained, mean",
    "joules_per_sample_evaluated": "energy of the evaluations over samples evaluated, mean",
    "reference_speedup": "mean epochs of the reference, from the edition's points or else from its submission, over "
    "the set's, at the same batch size: information only",
    "reference_p": "exact one-sided permutation p that epochs this few are chance",
    "reference_detectable": "the smallest speed-up that would have given p <= 0.05",
    "total_scale": "T: units of the whole system (weak sets)",
    "instance_scale": "S: units that trained one model; empty if it can't be what the logs say",
    "instance_scale_most": "the most that S can be, where more models ran at once than fit into the system as logged",
    "models": "M: models that reached the target, pruned ones not counted",
    "pruned": "models that were given up or left out",
    "pruned_errors": "errors that the checker found in their logs; they take no number away",
    "ttta_seconds": "TTTa: seconds from the first start to the last stop",
}


def record(r: Result) -> dict[str, Any]:
    """A result as {column: value}, all COLUMNS in order."""
    values = {**identity(r), **merit(r), **means(r), **weak(r), **reference(r)}
    return {name: finite(values.get(name)) for name in COLUMNS}


def identity(r: Result) -> dict[str, Any]:
    """The columns that say which set it is, and how it was judged."""
    edition, benchmark, problem, scaling, division = r.group
    return {
        "edition": edition,
        "benchmark": benchmark,
        "problem": problem,
        "scaling": scaling,
        "kind": None if r.throughput_only else r.kind or None,
        "division": division,
        "category": r.category,
        "rank": rank_text(r.rank),
        "org": r.org,
        "system": r.system,
        "verdict": r.standing.word,
        "errors": len(r.standing.errors),
        "reviews": len(r.standing.reviews),
        "waived": len(r.standing.waived),
        "reviewed": r.judged.reviewed or None,
        "why": r.why,
        "as_logged_seconds": r.score.fom if r.would_stand else None,
        "as_logged_place": r.would_stand[0] if r.would_stand else None,
    }


def rank_text(rank: tuple[int, int] | None) -> str | None:
    """A range of ranks: "2", "2-4", None without rank."""
    if rank is None:
        return None
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}-{rank[1]}"


def merit(r: Result) -> dict[str, Any]:
    """The columns of the figure of merit, its interval and the spread of runs."""
    found: dict[str, Any] = {
        "runs": r.score.n,
        "converged": r.score.converged,
        "required": None if r.weak else r.score.required,
        "dropped": None if r.weak else r.score.k,
    }
    if r.spread is not None:
        found |= {
            "cv": r.spread.time,
            "cv_epochs": r.spread.epochs,
            "cv_seconds_per_epoch": r.spread.seconds_per_epoch,
            "share_epochs": r.spread.share_epochs,
        }
    if r.fom is None:
        return found
    trimmed, median = r.score.trimmed, r.score.median
    return found | {
        "fom_seconds": r.fom,
        "fom_minutes": r.fom / 60,
        "fom_low": trimmed.low,
        "fom_high": trimmed.high,
        "fom_standard_error": trimmed.standard_error,
        "fom_degrees": trimmed.degrees,
        "median_seconds": median.value,
        "median_low": median.low,
        "median_high": median.high,
        "median_level": median.level,
        "models_per_hour": 3600 / r.fom,
    }


def means(r: Result) -> dict[str, Any]:
    """The columns of means over runs. They are measurements, so they do not depend on the set having a score."""
    parts = {name: r.mean(f"{name}_ms") for name in ("staging", "training", "evaluation", "rest", "total")}
    staging = r.deviation("staging_ms")
    return {
        **mean_and_deviation(r, "epochs", "passes", "train_rate", "compute_rate", "unit_hours", "node_hours"),
        "seconds_per_epoch": r.mean("seconds_per_epoch"),
        **{f"{name}_seconds": None if ms is None else ms / 1000 for name, ms in parts.items()},
        "staging_deviation": None if staging is None else staging / 1000,
        "staging_share": parts["staging"] / parts["total"] if parts["total"] else None,
        "eval_rate": r.mean("eval_rate"),
        **rates(r),
        "train_rate_per_unit": r.mean("train_rate_per_unit"),
        **mean_and_deviation(r, "au"),
        **{name: r.mean(name) for name in ("au_first", "au_later", "au_barrier")},
        "au_by_epoch": " ".join(f"{au:.4f}" for au in busy_epochs(r).values()) or None,
        "nodes": r.one("nodes"),
        "units": r.one("units"),
        "unit": r.one("unit"),
        "batch": r.one("batch"),
        **energy(r),
    }


def mean_and_deviation(r: Result, *columns: str) -> dict[str, float | None]:
    """{column: mean, column_deviation: deviation} of columns of the runs."""
    return {f"{c}{end}": f(c) for c in columns for end, f in (("", r.mean), ("_deviation", r.deviation))}


RATES = {  # column: column of the runs
    "epochs_per_minute": "epochs_per_minute",
    "epoch_train_rate": "epoch_train_rate",
    "epoch_eval_rate": "eval_rate",
    "sample_rate": "sample_rate",
}


def rates(r: Result) -> dict[str, Any]:
    """The times of epochs and rates of MLPerf HPC's paper (Farrell et al. 2021, tables 5 and 6). Means of rates are
    harmonic: a mean rate is that of the mean time."""
    found: dict[str, Any] = mean_and_deviation(r, "epoch_seconds")
    staging, epoch = r.mean("staging_ms"), found["epoch_seconds"]
    found["staging_epochs"] = staging / 1000 / epoch if staging is not None and epoch else None
    for name, column in RATES.items():
        found[name], found[f"{name}_deviation"] = harmonic(r.values(column))
    return found


def energy(r: Result) -> dict[str, Any]:
    """The columns of energy; {} unless every converged run was measured, and all in one way."""
    e = r.energy
    if e is None:
        return {}
    each = [(row.joules, row.trained) for row, used in zip(r.rows, r.mask, strict=True) if used]
    return {
        "energy_tier": e.tier,
        "joules": e.joules.mean,
        "joules_low": e.joules.low,
        "joules_high": e.joules.high,
        "watts": e.watts,
        "joules_per_sample": a_sample(each),
        "joules_per_sample_trained": e.trained,
        "joules_per_sample_evaluated": e.evaluated,
    }


def reference(r: Result) -> dict[str, Any]:
    """The columns that compare epochs with the reference's."""
    s = r.surprise
    return {} if s is None else {f"reference_{k}": getattr(s, k) for k in ("speedup", "p", "detectable")}


def weak(r: Result) -> dict[str, Any]:
    """The columns of weak scaling; {} for other sets."""
    if not r.weak:
        return {}
    found: dict[str, Any] = {"pruned": r.pruned, "pruned_errors": len(r.standing.pruned_errors)}
    if r.throughput is not None:
        found |= {
            "total_scale": r.throughput.total,
            "instance_scale": r.throughput.instance,
            "instance_scale_most": r.throughput.most,
            "models": r.throughput.models,
            "ttta_seconds": r.throughput.seconds,
            "models_per_hour": r.throughput.models_per_hour,
        }
    return found
