"""Measures of where the time of a run goes."""

from results.measures.measure import Get, Measure, averaged, over, seconds_of, with_deviation
from results.runs.row import ratio
from results.statistics.result import Result

LEAST = 0.1  # seconds of staging before the clock; less is no more than the time between two lines of a log


def of_means(part: str, whole: str, divisor: float = 1) -> Get:
    """The mean of one column, over a divisor, over that of another."""
    return lambda r: ratio(over(r.mean(part), divisor), r.mean(whole))


def staged_before(r: Result) -> float | None:
    """The mean seconds of staging before `run_start`; None for none."""
    seconds = over(r.mean("staged_ms"), 1000)
    return seconds if seconds is not None and seconds >= LEAST else None


STAGING = (
    "mean seconds of staging on the clock; none where no log has it, or logs say that it ran beside training, so that "
    "its time is in the epochs"
)
BEFORE = f"mean seconds of staging before run_start, which no time of the run counts; {LEAST:g} s at least"
EPOCHS = (
    "mean epochs as logged, begun until run_stop, of the runs that the figure of merit averages; where a log counts "
    "samples (OpenFold), an epoch is the part of a pass between two evaluations. RUN23 tests another mean: that of all "
    "runs, or in MLPerf HPC's editions of those without the fewest and the most epochs"
)
FIRST = "mean seconds of the first epoch with its evaluation, and with staging that runs beside it"
PASSES = "mean passes over the training split: as counted by the log, else epochs"
STAGED_EPOCHS = "staging over an epoch's seconds, of the means: how many epochs staging costs"

TIME = (
    *with_deviation(averaged("epochs", "epochs", EPOCHS)),
    *with_deviation(averaged("passes", "passes over the training data", PASSES)),
    *with_deviation(seconds_of("staging", STAGING), name="staging_deviation"),
    Measure("staged_before_seconds", "staged before the clock", BEFORE, staged_before, "s"),
    seconds_of("training", "mean seconds in epochs, without evaluation and staging"),
    seconds_of("evaluation", "mean seconds of evaluation"),
    seconds_of("rest", "mean seconds outside of these three"),
    Measure("staging_share", "staging / run", "staging over total, of the means", of_means("staging_ms", "total_ms")),
    *with_deviation(
        averaged("epoch_seconds", "mean epoch", "seconds of an epoch with its evaluations, mean", unit="s")
    ),
    averaged("first_epoch_seconds", "first epoch", FIRST, unit="s"),
    averaged("later_epoch_seconds", "later epoch", "mean seconds of a later epoch with its evaluation", unit="s"),
    Measure("staging_epochs", "staging / epoch", STAGED_EPOCHS, of_means("staging_ms", "epoch_seconds", 1000)),
)
