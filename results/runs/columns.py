"""The columns of the table of runs: their meanings and pandas types."""

from collections import namedtuple

COLUMNS = {
    "set": "the set of runs: round/org/system/scaling/benchmark",
    "edition": "the edition of the rules that the set was checked by",
    "org": "the organisation's folder",
    "system": "the system's folder",
    "scaling": "strong (time to train one model) or weak (throughput of many)",
    "benchmark": "the benchmark's folder, or what the log says where no folder does",
    "problem": "the problem, as logged (benchmark/*/problems.yaml); not in MLPerf HPC's rounds",
    "division": "closed or open: as the system description says, or else as logged",
    "category": "onprem, cloud, research...: submission_status as logged",
    "run": "i of result_<i>.txt",
    "log": "path of the log",
    "pruned": "whether the log lies among the pruned results of a weak set",
    "errors": "errors that the checker found in the log, waived ones not counted",
    "nodes": "nodes that ran it: as logged, or else as the system description says",
    "accelerators_per_node": "accelerators in a node, 0 on CPU; same sources",
    "units": "accelerators, on CPU systems processors (sockets), or nodes if neither is known",
    "unit": "what `units` counts: accelerator, processor or node",
    "system_units": "units of the whole system that is described",
    "logged_benchmark": "submission_benchmark, as logged",
    "logged_edition": "rules_edition, as logged",
    "logged_division": "submission_division, as logged",
    "batch": "global_batch_size",
    "train_samples": "samples of the training split",
    "eval_samples": "samples of the validation split",
    "seed": "as logged, as text",
    "seed_line": "the line of the seed",
    "staging_line": "the line where staging ended",
    "epoch_line": "the line where the last epoch ended",
    "eval_line": "the line where the last evaluation ended",
    "batch_line": "the line of global_batch_size",
    "start_ms": "run_start, milliseconds since 1970",
    "stop_ms": "run_stop, milliseconds since 1970",
    "start_line": "the line of run_start",
    "stop_line": "the line of run_stop",
    "status": "the status that run_stop logs; no number depends on it",
    "target": "the value of the metric to be met",
    "converged": "whether an evaluation between run_start and run_stop met the target",
    "target_line": "the line of that evaluation",
    "step_ms": "between that evaluation and the one before: the resolution of the run's time",
    "seconds": "run_stop - run_start where the run converged, infinity where not",
    "epochs": "epochs begun inside the timed span, as logged",
    "trained": "samples trained: as counted by the log, else whole epochs of the training split",
    "passes": "passes over the training split: by samples or steps where the log counts them, else epochs",
    "evaluations": "values of the metric inside the timed span",
    "quality": "the value that met the target, or else the last",
    "total_ms": "run_stop - run_start",
    "staging_ms": "between staging_start and staging_stop",
    "training_ms": "in epochs, without evaluation and staging",
    "evaluation_ms": "between eval_start and eval_stop",
    "rest_ms": "outside of staging, training and evaluation",
    "seconds_per_epoch": "total seconds over epochs",
    "epoch_seconds": "training and evaluation over epochs: seconds of an epoch with its evaluations",
    "epochs_per_minute": "the inverse, in minutes",
    "epoch_train_rate": "samples trained a second of training, every epoch begun counted as a whole one unless the log "
    "counts samples",
    "sample_rate": "samples trained and evaluated a second of both, epochs counted likewise",
    "train_rate": "samples trained a second of training; what the log states, in benchmarks that evaluate beside it",
    "eval_rate": "samples evaluated a second of evaluation",
    "compute_rate": "samples trained a second of all that isn't staging",
    "train_rate_per_unit": "train_rate over units",
    "eval_rate_per_unit": "eval_rate over units",
    "au": "accelerator utilization: the share of training time in which a rank did not wait for data, 0 to 1",
    "au_first": "the same of the first epoch",
    "au_later": "the same of those after it",
    "au_barrier": "the same of all epochs, with the wait of each step's slowest rank",
    "unit_hours": "units times total hours: the compute budget",
    "node_hours": "nodes times total hours",
    "energy_tier": "what measured the run's energy: meter, node or component counters, or a rehearsal",
    "joules": "energy over the timed span, where measured",
    "training_joules": "energy of the epochs alone",
    "evaluation_joules": "energy of the evaluations alone",
    "fault": "why the run has no time, if it has none",
    "throughput_only": "whether the log measures throughput only, and trains to no target",
    "measured_rate": "samples trained a second, as such a log states",
    "measured_line": "the line that states it",
    "layout": "units along data x depth x height x width, as logged",
    "precision": "the precision of activations, as logged",
    "settings": "the settings that change how a step is computed, if logged and not the default",
}

Row = namedtuple("Row", COLUMNS, defaults=(None,) * len(COLUMNS))  # one run; None stands for no value

LOGGED = ("logged_benchmark", "logged_edition", "logged_division")
REPEATED = (
    "set",
    "edition",
    "org",
    "system",
    "scaling",
    "benchmark",
    "problem",
    "division",
    "category",
    "status",
    "unit",
    "layout",
    "precision",
    "settings",
    "energy_tier",
)
WHOLE = ("run", "errors", "start_line", "stop_line", "target_line", "evaluations", "seed_line", "batch_line")
WHOLE = (*WHOLE, "measured_line")


def kind(name: str) -> str:
    """The pandas type of a column before repeated texts become categories."""
    if name in ("pruned", "converged", "throughput_only"):
        return "boolean"
    if name in WHOLE or name.endswith("_ms"):
        return "Int64"
    return "object" if name in (*REPEATED, *LOGGED, "log", "seed", "fault") else "float64"


TYPES = {name: kind(name) for name in COLUMNS}
