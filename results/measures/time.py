"""Measures of where the time of a run goes."""

from results.measures.measure import Measure, deviation, mean, seconds_of, spread_of
from results.statistics.result import Result


def staging_share(r: Result) -> float | None:
    """Staging over total, of the means."""
    staging, total = r.mean("staging_ms"), r.mean("total_ms")
    return staging / total if staging is not None and total else None


def staging_epochs(r: Result) -> float | None:
    """Staging over an epoch's seconds, of the means."""
    staging, epoch = r.mean("staging_ms"), r.mean("epoch_seconds")
    return staging / 1000 / epoch if staging is not None and epoch else None


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
