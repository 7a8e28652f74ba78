"""The columns of the table of runs."""

import math
from typing import NamedTuple

from compliance.finding import errors
from compliance.reading.run import Run
from compliance.verdict import LogVerdict


class Row(NamedTuple):
    """One run. None stands for no value. Parts of its time are whole milliseconds: those that are known add up to
    `total_ms` exactly."""

    log: LogVerdict
    problem: str | None = None  # as logged; not in MLPerf HPC's rounds
    division: str | None = None  # closed or open: as the system description says, or else as logged
    category: str | None = None  # onprem, cloud, research...: submission_status as logged
    nodes: float | None = None  # as logged, or else as the system description says
    ranks: float | None = None  # number_of_ranks, as logged
    accelerators_per_node: float | None = None  # 0 on CPU; sources as for nodes
    units: float | None = None  # accelerators, on CPU systems processors (sockets), or nodes if neither is known
    unit: str | None = None  # what `units` counts: accelerator, processor or node
    system_units: float | None = None  # units of the whole system that is described
    batch: float | None = None  # global_batch_size
    train_samples: float | None = None  # of the training split
    eval_samples: float | None = None  # of the validation split
    seed: str | None = None
    seed_line: int | None = None  # the line of the log that has it
    target: float | None = None  # the value of the metric to be met
    converged: bool = False  # whether an evaluation between run_start and run_stop met the target
    step_ms: int | None = None  # between that evaluation and the one before: the resolution of the run's time
    seconds: float = math.inf  # run_stop - run_start where the run converged, infinity where not
    epochs: float | None = None  # begun inside the timed span, as logged
    trained: float | None = None  # samples trained until that evaluation: passes times train_samples
    passes: float | None = None  # over the training split: by samples or steps where the log counts them, else epochs
    evaluations: int | None = None  # values of the metric inside the timed span
    quality: float | None = None  # the value that met the target, or else the last
    total_ms: int | None = None  # run_stop - run_start
    staging_ms: int | None = None  # None without staging in the log, or where it ran beside training
    staged_ms: int | None = None  # staging before run_start, which is no part of total_ms
    training_ms: int | None = None  # in epochs; all but staging where evaluations run beside training
    evaluation_ms: int | None = None  # None where evaluations run beside training
    rest_ms: int | None = None  # None where evaluations run beside training
    epoch_seconds: float | None = None  # training and evaluation over epochs
    first_epoch_seconds: float | None = None  # None where evaluations run beside training
    later_epoch_seconds: float | None = None  # mean
    epochs_per_minute: float | None = None  # the inverse of epoch_seconds
    sample_rate: float | None = None  # samples trained and evaluated a second of both
    train_rate: float | None = None  # samples trained a second of training
    eval_rate: float | None = None  # samples evaluated a second of evaluation
    compute_rate: float | None = None  # samples trained a second of all that isn't staging
    train_rate_per_unit: float | None = None
    au: float | None = None  # accelerator utilization, 0 to 1: utilization.py
    au_first: float | None = None  # of the first epoch
    au_later: float | None = None  # of those after it
    au_barrier: float | None = None  # of all epochs, with the wait of each step's slowest rank
    unit_hours: float | None = None  # units times total hours: the compute budget
    node_hours: float | None = None
    energy_tier: str | None = None  # what measured it: meter, node or component counters, or a rehearsal
    joules: float | None = None  # over the timed span
    training_joules: float | None = None  # of the epochs alone
    evaluation_joules: float | None = None  # of the evaluations alone
    fault: str | None = None  # why the run has no time, if it has none
    measured_rate: float | None = None  # samples trained a second, as such a log states
    layout: tuple[int, ...] | None = None  # units along data, depth, height and width, as logged
    precision: str | None = None  # of activations, as logged
    settings: str | None = None  # those that change how a step is computed, if logged and not the default

    @property
    def run(self) -> Run:
        """What its log says."""
        return self.log.run

    @property
    def errors(self) -> int:
        """The errors that the checker found in its log, waived ones not counted."""
        return len(errors(self.log.findings))
