"""Every measure of a set of runs, in the order of CSV and JSON (schema results/2).

Means and deviations (n - 1) are over the runs that the figure of merit averages, in a throughput set over its unpruned
models. Numbers are not rounded here.
"""

from typing import Any

from results.measures.measure import (
    Measure,
    described,
    deviation,
    mean,
    of_energy,
    of_median,
    of_merit,
    of_spread,
    of_throughput,
    one,
    rate,
    rate_deviation,
)
from results.runs.utilization import by_epoch
from results.statistics.result import Result


def rank_text(rank: tuple[int, int] | None) -> str | None:
    """A range of ranks: "2", "2-4", None without rank."""
    if rank is None:
        return None
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}-{rank[1]}"


def models_per_hour(r: Result) -> float | None:
    """Models an hour: M over TTTa in a throughput set, else the inverse of the figure of merit."""
    return r.throughput.models_per_hour if r.throughput else 3600 / r.fom if r.fom else None


def staging_share(r: Result) -> float | None:
    """Staging over total, of the means."""
    staging, total = r.mean("staging_ms"), r.mean("total_ms")
    return staging / total if staging is not None and total else None


def staging_epochs(r: Result) -> float | None:
    """Staging over an epoch's seconds, of the means."""
    staging, epoch = r.mean("staging_ms"), r.mean("epoch_seconds")
    return staging / 1000 / epoch if staging is not None and epoch else None


def busy_epochs(r: Result) -> dict[int, float]:
    """{epoch: mean AU over the runs that the figure of merit averages}."""
    return by_epoch(run for run, used in zip(r.runs, r.mask, strict=True) if used)


def busy(r: Result) -> str | None:
    """The utilization of each epoch, separated by blanks."""
    return " ".join(f"{au:.4f}" for au in busy_epochs(r).values()) or None


def seconds_of(part: str, heading: str, meaning: str) -> Measure:
    """The mean seconds of a part of a run."""
    get, error = mean(f"{part}_ms", 1000), deviation(f"{part}_ms", 1000)
    return Measure(f"{part}_seconds", heading, meaning, get, "s", error)


def spread_of(name: str, heading: str, column: str) -> Measure:
    """The deviation of a mean, as a measure of its own."""
    return Measure(name, heading, "its deviation", deviation(column))


IDENTITY = (
    Measure("edition", "edition", "the edition of the rules that the set was checked by", lambda r: r.group[0]),
    Measure("benchmark", "benchmark", "the benchmark's folder", lambda r: r.group[1]),
    Measure("problem", "problem", "the problem, as logged", lambda r: r.group[2]),
    Measure(
        "scaling",
        "scaling",
        "strong: one model on all units; weak: a throughput set, many models at once",
        lambda r: r.group[3],
    ),
    Measure(
        "kind",
        "kind",
        "capability: one model on all units; capacity: many at once, each on one; hybrid: many, each split",
        lambda r: None if r.throughput_only else r.kind or None,
    ),
    Measure("division", "division", "closed or open", lambda r: r.group[4]),
    Measure("category", "category", "onprem, cloud, research ...", lambda r: r.category),
    Measure(
        "rank",
        "rank",
        "place in its edition, benchmark, problem, scaling and division; a range among sets that can't be told apart: "
        "Yuen and Welch's test of each pair's ratio, corrected for all pairs by Holm, or runs that separate",
        lambda r: rank_text(r.rank),
    ),
    Measure("org", "org", "the organisation's folder", lambda r: r.org),
    Measure("system", "system", "the system's folder", lambda r: r.system),
    Measure(
        "processor",
        "processor",
        "the model of the nodes' processors, as described",
        described("host_processor_model_name"),
    ),
    Measure(
        "processors_per_node",
        "processors a node",
        "processors of a node, as described",
        described("host_processors_per_node"),
    ),
    Measure(
        "accelerator", "accelerator", "the model of accelerators, as described", described("accelerator_model_name")
    ),
    Measure(
        "accelerators_per_node",
        "accelerators a node",
        "accelerators of a node, as logged or else as described",
        one("accelerators_per_node"),
    ),
    Measure("software", "software", "the framework and its version, as described", described("framework")),
    Measure(
        "verdict",
        "verdict",
        "clean, review (findings that a person must judge), errors, and how many are waived",
        lambda r: r.standing.word,
    ),
    Measure(
        "errors",
        "errors",
        "errors that the checker found and no waiver covers, without those in pruned logs",
        lambda r: len(r.standing.errors),
    ),
    Measure(
        "reviews",
        "reviews",
        "findings that a person must judge, and no waiver covers",
        lambda r: len(r.standing.reviews),
    ),
    Measure(
        "waived",
        "waived",
        "errors, and findings for a person to judge, that a waiver covers",
        lambda r: len(r.standing.waived),
    ),
    Measure(
        "reviewed",
        "reviewed",
        "points that people must judge of its submission: how many reviewers accepted, and their objections",
        lambda r: r.judged.reviewed or None,
    ),
    Measure("why", "no score", "why there is no score, if there is none", lambda r: r.why),
    Measure(
        "as_logged_seconds",
        "FOM as logged",
        "the figure of merit that a set without score would have if its errors were none",
        lambda r: r.score.fom if r.why and r.standing.errors and not r.weak else None,
        "s",
    ),
    Measure(
        "as_logged_place",
        "place as logged",
        "the place that it would have among the sets with a rank",
        lambda r: r.would_stand[0] if r.would_stand else None,
    ),
)
MERIT = (
    Measure("runs", "runs", "runs in the set, pruned models not counted", lambda r: r.score.n),
    Measure("converged", "converged", "runs that met the target", lambda r: r.score.converged),
    Measure("required", "required", "runs that a score needs", lambda r: None if r.weak else r.score.required),
    Measure("dropped", "dropped", "runs dropped from each end (k)", lambda r: None if r.weak else r.score.k),
    Measure("fom_seconds", "FOM", "the figure of merit: trimmed mean of seconds", of_merit(lambda t: t.mean), "s"),
    Measure("fom_minutes", "time to train", "the same in minutes", of_merit(lambda t: t.mean / 60), "min"),
    Measure(
        "fom_low",
        "95 % from",
        "95 % interval of the figure of merit, seconds, low end (Tukey-McLaughlin)",
        of_merit(lambda t: t.low),
        "s",
    ),
    Measure("fom_high", "to", "high end", of_merit(lambda t: t.high), "s"),
    Measure("fom_standard_error", "standard error", "its standard error", of_merit(lambda t: t.standard_error), "s"),
    Measure("fom_degrees", "degrees of freedom", "its degrees of freedom", of_merit(lambda t: t.degrees)),
    Measure("median_seconds", "median", "median", of_median(lambda m: m.value), "s"),
    Measure(
        "median_low",
        "median from",
        "interval of the median between order statistics, low end",
        of_median(lambda m: m.low),
        "s",
    ),
    Measure("median_high", "to", "high end", of_median(lambda m: m.high), "s"),
    Measure("median_level", "level", "the exact level of that interval", of_median(lambda m: m.level)),
    Measure(
        "models_per_hour",
        "models an hour",
        "1/T: 3600 over the figure of merit; for throughput sets M over TTTa",
        models_per_hour,
    ),
    Measure("cv", "CV", "coefficient of variation of the converged runs' seconds", of_spread(lambda s: s.time)),
    Measure("cv_epochs", "CV of epochs", "the same of their epochs", of_spread(lambda s: s.epochs)),
    Measure(
        "cv_seconds_per_epoch",
        "CV of seconds an epoch",
        "the same of their seconds per epoch",
        of_spread(lambda s: s.seconds_per_epoch),
    ),
    Measure(
        "share_epochs",
        "share of epochs",
        "share of the variance of log seconds that goes with the epochs",
        of_spread(lambda s: s.share_epochs),
    ),
)
TIME = (
    Measure("epochs", "epochs", "mean epochs", mean("epochs"), "", deviation("epochs")),
    spread_of("epochs_deviation", "±", "epochs"),
    Measure(
        "passes",
        "passes",
        "mean passes over the training split: as counted by the log, else epochs",
        mean("passes"),
        "",
        deviation("passes"),
    ),
    spread_of("passes_deviation", "±", "passes"),
    Measure(
        "seconds_per_epoch",
        "run over epochs",
        "mean of all seconds of a run over its epochs",
        mean("seconds_per_epoch"),
        "s",
        deviation("seconds_per_epoch"),
    ),
    seconds_of("staging", "staging", "mean seconds of staging"),
    Measure("staging_deviation", "±", "their deviation", deviation("staging_ms", 1000), "s"),
    seconds_of("training", "training", "mean seconds in epochs, without evaluation and staging"),
    seconds_of("evaluation", "evaluation", "mean seconds of evaluation"),
    seconds_of("rest", "rest", "mean seconds outside of these three"),
    Measure("staging_share", "staging / run", "staging over total, of the means", staging_share),
    Measure(
        "epoch_seconds",
        "epoch",
        "seconds of an epoch with its evaluations, mean",
        mean("epoch_seconds"),
        "s",
        deviation("epoch_seconds"),
    ),
    spread_of("epoch_seconds_deviation", "±", "epoch_seconds"),
    Measure(
        "staging_epochs",
        "staging / epoch",
        "staging over an epoch's seconds, of the means: how many epochs staging costs",
        staging_epochs,
    ),
)
RATES = (
    Measure(
        "train_samples_per_second",
        "training samples a second",
        "samples trained a second of training, mean; as the logs state it where evaluations run beside it",
        mean("train_rate"),
        "",
        deviation("train_rate"),
    ),
    spread_of("train_samples_per_second_deviation", "±", "train_rate"),
    Measure(
        "train_samples_per_second_per_unit",
        "samples a second a device",
        "the same over units",
        mean("train_rate_per_unit"),
        "",
        deviation("train_rate_per_unit"),
    ),
    Measure(
        "eval_samples_per_second",
        "evaluated samples a second",
        "samples evaluated a second of evaluation, mean",
        mean("eval_rate"),
        "",
        deviation("eval_rate"),
    ),
    Measure(
        "run_samples_per_second",
        "samples a second of the run",
        "samples trained a second of all that isn't staging, mean",
        mean("compute_rate"),
        "",
        deviation("compute_rate"),
    ),
    spread_of("run_samples_per_second_deviation", "±", "compute_rate"),
    Measure("epochs_per_minute", "epochs/min", "epochs a minute, harmonic mean", rate("epochs_per_minute")),
    Measure(
        "epochs_per_minute_deviation",
        "±",
        "its deviation, of the times: how much faster one deviation less time is",
        rate_deviation("epochs_per_minute"),
    ),
    Measure(
        "epoch_train_rate",
        "trained/s",
        "samples trained a second, epochs counted whole unless samples are, harmonic mean",
        rate("epoch_train_rate"),
    ),
    Measure("epoch_train_rate_deviation", "±", "its deviation, of the times", rate_deviation("epoch_train_rate")),
    Measure("epoch_eval_rate", "evaluated/s", "samples evaluated a second, harmonic mean", rate("eval_rate")),
    Measure("epoch_eval_rate_deviation", "±", "its deviation, of the times", rate_deviation("eval_rate")),
    Measure(
        "sample_rate", "both/s", "samples trained and evaluated a second of both, harmonic mean", rate("sample_rate")
    ),
    Measure("sample_rate_deviation", "±", "its deviation, of the times", rate_deviation("sample_rate")),
    Measure(
        "au",
        "AU",
        "accelerator utilization: the share of training in which a rank did not wait for data, mean of the runs",
        mean("au"),
        "",
        deviation("au"),
        True,
    ),
    spread_of("au_deviation", "±", "au"),
    Measure(
        "au_first",
        "AU of the first epoch",
        "the same of the first epoch",
        mean("au_first"),
        "",
        deviation("au_first"),
        True,
    ),
    Measure(
        "au_later",
        "AU of later epochs",
        "the same of those after it",
        mean("au_later"),
        "",
        deviation("au_later"),
        True,
    ),
    Measure(
        "au_barrier",
        "AU with the barrier",
        "the same of all epochs, with the wait of each step's slowest rank",
        mean("au_barrier"),
        "",
        deviation("au_barrier"),
        True,
    ),
    Measure("au_by_epoch", "AU by epoch", "the same of each of the first 50 epochs, separated by blanks", busy),
)
COST = (
    Measure("nodes", "nodes", "nodes of a run", one("nodes")),
    Measure("units", "units", "accelerators of a run, or processors, or nodes", one("units")),
    Measure("unit", "unit", "what `units` counts: accelerator, processor or node", one("unit")),
    Measure("batch", "global batch size", "global batch size", one("batch")),
    Measure(
        "unit_hours",
        "unit-hours",
        "compute budget: units times hours, mean",
        mean("unit_hours"),
        "",
        deviation("unit_hours"),
    ),
    spread_of("unit_hours_deviation", "±", "unit_hours"),
    Measure("node_hours", "node-hours", "nodes times hours, mean", mean("node_hours"), "", deviation("node_hours")),
    spread_of("node_hours_deviation", "±", "node_hours"),
    Measure(
        "energy_tier",
        "energy by",
        "what measured the energy of all runs: meter, node, component (informative), rehearsal (none)",
        of_energy(lambda e: e.tier),
    ),
    Measure(
        "joules",
        "energy",
        "energy to the target if all converged runs were measured: trimmed like the figure of merit, in throughput "
        "sets the mean of a model",
        of_energy(lambda e: e.joules.mean),
        "J",
    ),
    Measure("joules_low", "95 % from", "its 95 % interval, low end", of_energy(lambda e: e.joules.low), "J"),
    Measure("joules_high", "to", "high end", of_energy(lambda e: e.joules.high), "J"),
    Measure("watts", "mean power", "mean power of a run", of_energy(lambda e: e.watts), "W"),
    Measure(
        "joules_per_sample_trained",
        "J a sample trained",
        "energy of the epochs over samples trained, mean",
        of_energy(lambda e: e.trained),
    ),
    Measure(
        "joules_per_sample_evaluated",
        "J a sample evaluated",
        "energy of the evaluations over samples evaluated, mean",
        of_energy(lambda e: e.evaluated),
    ),
)
REFERENCE = (
    Measure(
        "reference_speedup",
        "reference's epochs over its own",
        "mean epochs of the reference, from the edition's points or else from its submission, over the set's, at the "
        "same batch size: information only",
        lambda r: r.surprise.speedup if r.surprise else None,
    ),
    Measure(
        "reference_p",
        "p",
        "exact one-sided permutation p that epochs this few are chance",
        lambda r: r.surprise.p if r.surprise else None,
    ),
    Measure(
        "reference_detectable",
        "detectable",
        "the smallest speed-up that would have given p <= 0.05",
        lambda r: r.surprise.detectable if r.surprise else None,
    ),
)
THROUGHPUT = (
    Measure("total_scale", "T", "T: units of the whole system (throughput sets)", of_throughput(lambda t: t.total)),
    Measure(
        "instance_scale",
        "S",
        "S: units that trained one model; empty if it can't be what the logs say",
        of_throughput(lambda t: t.instance),
    ),
    Measure(
        "instance_scale_most",
        "S at most",
        "the most that S can be, where more models ran at once than fit into the system as logged",
        of_throughput(lambda t: t.most),
    ),
    Measure(
        "models", "M", "M: models that reached the target, pruned ones not counted", of_throughput(lambda t: t.models)
    ),
    Measure("pruned", "pruned", "models that were given up or left out", lambda r: r.pruned if r.weak else None),
    Measure(
        "pruned_errors",
        "pruned errors",
        "errors that the checker found in their logs; they take no number away",
        lambda r: len(r.standing.pruned_errors) if r.weak else None,
    ),
    Measure(
        "ttta_seconds",
        "TTTa",
        "TTTa: seconds from the first start to the last stop",
        of_throughput(lambda t: t.seconds),
        "s",
    ),
)
MEASURES = {m.name: m for m in (*IDENTITY, *MERIT, *TIME, *RATES, *COST, *REFERENCE, *THROUGHPUT)}


def value(name: str, r: Result) -> Any:
    """A measure of a result by its name. Raises KeyError for an unknown name."""
    return MEASURES[name].get(r)
