"""Measures of rates, and of accelerator utilization."""

from results.measures.measure import Measure, averaged, rate, spread_of
from results.runs.utilization import by_epoch
from results.statistics.result import Result


def busy_epochs(r: Result) -> dict[int, float]:
    """{epoch: mean AU over the runs that the figure of merit averages}."""
    return by_epoch(run for run, used in zip(r.runs, r.mask, strict=True) if used)


def busy(r: Result) -> str | None:
    """The utilization of each epoch, separated by blanks."""
    return " ".join(f"{au:.4f}" for au in busy_epochs(r).values()) or None


OF_TIMES = "its deviation, of the times"
TRAIN = averaged(
    "train_samples_per_second",
    "training samples a second",
    "samples trained a second of training, mean; as the logs state it where evaluations run beside it",
    "train_rate",
)
RUN = averaged(
    "run_samples_per_second",
    "samples a second of the run",
    "samples trained a second of all that isn't staging, mean",
    "compute_rate",
)
PER_MINUTE = rate("epochs_per_minute", "epochs/min", "epochs a minute, harmonic mean", "epochs_per_minute")
TRAINED = rate(
    "epoch_train_rate",
    "trained/s",
    "samples trained a second, epochs counted whole unless samples are, harmonic mean",
    "epoch_train_rate",
)
EVALUATED = rate("epoch_eval_rate", "evaluated/s", "samples evaluated a second, harmonic mean", "eval_rate")
BOTH = rate("sample_rate", "both/s", "samples trained and evaluated a second of both, harmonic mean", "sample_rate")
BUSY = averaged(
    "au",
    "AU",
    "accelerator utilization: the share of training in which a rank did not wait for data, mean of the runs",
    "au",
    share=True,
)
BARRIER = "the same of all epochs, with the wait of each step's slowest rank"

RATES = (
    TRAIN,
    spread_of("train_samples_per_second_deviation", TRAIN),
    averaged(
        "train_samples_per_second_per_unit",
        "samples a second a device",
        "the same over units",
        "train_rate_per_unit",
    ),
    averaged(
        "eval_samples_per_second",
        "evaluated samples a second",
        "samples evaluated a second of evaluation, mean",
        "eval_rate",
    ),
    RUN,
    spread_of("run_samples_per_second_deviation", RUN),
    PER_MINUTE,
    spread_of("epochs_per_minute_deviation", PER_MINUTE, f"{OF_TIMES}: how much faster one deviation less time is"),
    TRAINED,
    spread_of("epoch_train_rate_deviation", TRAINED, OF_TIMES),
    EVALUATED,
    spread_of("epoch_eval_rate_deviation", EVALUATED, OF_TIMES),
    BOTH,
    spread_of("sample_rate_deviation", BOTH, OF_TIMES),
    BUSY,
    spread_of("au_deviation", BUSY),
    averaged("au_first", "AU of the first epoch", "the same of the first epoch", "au_first", share=True),
    averaged("au_later", "AU of later epochs", "the same of those after it", "au_later", share=True),
    averaged("au_barrier", "AU with the barrier", BARRIER, "au_barrier", share=True),
    Measure("au_by_epoch", "AU by epoch", "the same of each of the first 50 epochs, separated by blanks", busy),
)
