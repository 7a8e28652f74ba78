"""Measures of where the time of a run goes."""

from results.measures.measure import Measure, averaged, seconds_of, spread_of
from results.statistics.result import Result


def staging_share(r: Result) -> float | None:
    """Staging over total, of the means."""
    staging, total = r.mean("staging_ms"), r.mean("total_ms")
    return staging / total if staging is not None and total else None


def staging_epochs(r: Result) -> float | None:
    """Staging over an epoch's seconds, of the means."""
    staging, epoch = r.mean("staging_ms"), r.mean("epoch_seconds")
    return staging / 1000 / epoch if staging is not None and epoch else None


EPOCHS = averaged("epochs", "epochs", "mean epochs", "epochs")
PASSES = averaged(
    "passes", "passes", "mean passes over the training split: as counted by the log, else epochs", "passes"
)
STAGING = seconds_of("staging", "staging", "mean seconds of staging")
EPOCH = averaged("epoch_seconds", "epoch", "seconds of an epoch with its evaluations, mean", "epoch_seconds", "s")
PER_EPOCH = "mean of all seconds of a run over its epochs"

TIME = (
    EPOCHS,
    spread_of("epochs_deviation", EPOCHS),
    PASSES,
    spread_of("passes_deviation", PASSES),
    averaged("seconds_per_epoch", "run over epochs", PER_EPOCH, "seconds_per_epoch", "s"),
    STAGING,
    spread_of("staging_deviation", STAGING, "their deviation"),
    seconds_of("training", "training", "mean seconds in epochs, without evaluation and staging"),
    seconds_of("evaluation", "evaluation", "mean seconds of evaluation"),
    seconds_of("rest", "rest", "mean seconds outside of these three"),
    Measure("staging_share", "staging / run", "staging over total, of the means", staging_share),
    EPOCH,
    spread_of("epoch_seconds_deviation", EPOCH),
    Measure(
        "staging_epochs",
        "staging / epoch",
        "staging over an epoch's seconds, of the means: how many epochs staging costs",
        staging_epochs,
    ),
)
