"""Measures of where the time of a run goes."""

from dataclasses import replace

from results.measures.measure import Measure, averaged, seconds_of, with_deviation
from results.statistics.result import Result


def where_logged(measure: Measure) -> Measure:
    """A measure of staging, without value where no log mentions staging: that does not mean 0 s."""

    def get(r: Result) -> float | None:
        return None if all(row.staging_line is None for row in r.rows) else measure.get(r)

    return replace(measure, get=get)


def staging_share(r: Result) -> float | None:
    """Staging over total, of the means."""
    staging, total = r.mean("staging_ms"), r.mean("total_ms")
    return staging / total if staging is not None and total else None


def staging_epochs(r: Result) -> float | None:
    """Staging over an epoch's seconds, of the means."""
    staging, epoch = r.mean("staging_ms"), r.mean("epoch_seconds")
    return staging / 1000 / epoch if staging is not None and epoch else None


PASSES = "mean passes over the training split: as counted by the log, else epochs"
STAGED_EPOCHS = "staging over an epoch's seconds, of the means: how many epochs staging costs"

TIME = (
    *with_deviation(averaged("epochs", "epochs", "mean epochs")),
    *with_deviation(averaged("passes", "passes", PASSES)),
    averaged("seconds_per_epoch", "run over epochs", "mean of all seconds of a run over its epochs", unit="s"),
    *map(
        where_logged,
        with_deviation(
            seconds_of("staging", "staging", "mean seconds of staging, if a log mentions it"), name="staging_deviation"
        ),
    ),
    seconds_of("training", "training", "mean seconds in epochs, without evaluation and staging"),
    seconds_of("evaluation", "evaluation", "mean seconds of evaluation"),
    seconds_of("rest", "rest", "mean seconds outside of these three"),
    where_logged(Measure("staging_share", "staging / run", "staging over total, of the means", staging_share)),
    *with_deviation(averaged("epoch_seconds", "epoch", "seconds of an epoch with its evaluations, mean", unit="s")),
    where_logged(Measure("staging_epochs", "staging / epoch", STAGED_EPOCHS, staging_epochs)),
)
