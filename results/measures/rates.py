"""Measures of rates, and of accelerator utilization."""

from results.measures.measure import averaged, with_deviation

OF_TIMES = "its deviation, of the times: how much faster one deviation less time is"
TRAINED_SECOND = "samples trained a second of training; of all that isn't staging where evaluations run beside training"
BUSY = "accelerator utilization: the share of training in which a rank did not wait for data, mean of the runs"
BARRIER = "the same of all epochs, with the wait of each step's slowest rank"
OF_RUN = "samples trained a second of all that isn't staging, harmonic mean"

RATES = (
    *with_deviation(
        averaged(
            "train_samples_per_second", "training samples a second", f"{TRAINED_SECOND}, harmonic mean", "train_rate"
        ),
        OF_TIMES,
    ),
    averaged(
        "train_samples_per_second_per_unit", "samples a second a device", "the same over units", "train_rate_per_unit"
    ),
    *with_deviation(
        averaged(
            *("eval_samples_per_second", "evaluated samples a second"),
            *("samples evaluated a second of evaluation, harmonic mean", "eval_rate"),
        ),
        OF_TIMES,
    ),
    *with_deviation(
        averaged("run_samples_per_second", "samples a second of the run", OF_RUN, "compute_rate"), OF_TIMES
    ),
    *with_deviation(averaged("epochs_per_minute", "epochs/min", "epochs a minute, harmonic mean"), OF_TIMES),
    *with_deviation(
        averaged("sample_rate", "both/s", "samples trained and evaluated a second of both, harmonic mean"), OF_TIMES
    ),
    *with_deviation(averaged("au", "AU", BUSY, share=True)),
    averaged("au_first", "AU of the first epoch", "the same of the first epoch", share=True),
    averaged("au_later", "AU of later epochs", "the same of those after it", share=True),
    averaged("au_barrier", "AU with the barrier", BARRIER, share=True),
)
