"""Measures of rates, and of accelerator utilization."""

from results.measures.measure import Measure, averaged, with_deviation
from results.statistics.factors import RATE

OF_TIMES = "its deviation, of the times: how much faster one deviation less time is"
TRAINED_SECOND = "samples trained a second of training; of all that isn't staging where evaluations run beside training"
BUSY = "accelerator utilization: the share of training in which a rank did not wait for data, mean of the runs"
BARRIER = "the same of all epochs, with the wait of each step's slowest rank"


def rate(name: str, heading: str, meaning: str, column: str = "") -> tuple[Measure, Measure]:
    """A rate, whose mean is the harmonic one, and its deviation."""
    return with_deviation(averaged(name, heading, f"{meaning}, harmonic mean", column), OF_TIMES)


RATES = (
    *rate("train_samples_per_second", "training samples a second", TRAINED_SECOND, "train_rate"),
    averaged("train_samples_per_second_per_unit", RATE, "the same over devices", "train_rate_per_unit"),
    *rate(
        *("eval_samples_per_second", "evaluated samples a second", "samples evaluated a second of evaluation"),
        "eval_rate",
    ),
    *rate(
        *(
            "run_samples_per_second",
            "samples a second of the run",
            "samples trained a second of all that isn't staging",
        ),
        "compute_rate",
    ),
    *rate("epochs_per_minute", "epochs a minute", "epochs over minutes of training and evaluation"),
    *rate("sample_rate", "all samples a second", "samples trained and evaluated a second of both"),
    *with_deviation(averaged("au", "AU", BUSY, share=True)),
    averaged("au_first", "AU of the first epoch", "the same of the first epoch", share=True),
    averaged("au_later", "AU of later epochs", "the same of those after it", share=True),
    averaged("au_barrier", "AU with the barrier", BARRIER, share=True),
)
