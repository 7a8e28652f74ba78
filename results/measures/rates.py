"""Measures of rates, and of accelerator utilization."""

from results.measures.measure import Measure, deviation, mean, rate, rate_deviation, spread_of
from results.runs.utilization import by_epoch
from results.statistics.result import Result


def busy_epochs(r: Result) -> dict[int, float]:
    """{epoch: mean AU over the runs that the figure of merit averages}."""
    return by_epoch(run for run, used in zip(r.runs, r.mask, strict=True) if used)


def busy(r: Result) -> str | None:
    """The utilization of each epoch, separated by blanks."""
    return " ".join(f"{au:.4f}" for au in busy_epochs(r).values()) or None


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
