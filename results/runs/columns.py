"""The columns of the table of runs: their types, their meanings, and pandas' types."""

import math
from typing import Annotated, NamedTuple, get_args, get_type_hints


class Row(NamedTuple):
    """One run. None stands for no value."""

    set: Annotated[str | None, "the set of runs: round/org/system/scaling/benchmark"] = None
    edition: Annotated[str | None, "the edition of the rules that the set was checked by"] = None
    org: Annotated[str | None, "the organisation's folder"] = None
    system: Annotated[str | None, "the system's folder"] = None
    scaling: Annotated[str | None, "strong (time to train one model) or weak (throughput of many)"] = None
    benchmark: Annotated[str | None, "the benchmark's folder, or what the log says where no folder does"] = None
    problem: Annotated[str | None, "the problem, as logged (benchmark/*/problems.yaml); not in MLPerf HPC's rounds"] = (
        None
    )
    division: Annotated[str | None, "closed or open: as the system description says, or else as logged"] = None
    category: Annotated[str | None, "onprem, cloud, research...: submission_status as logged"] = None
    run: Annotated[int | None, "i of result_<i>.txt"] = None
    log: Annotated[str, "path of the log"] = ""
    pruned: Annotated[bool, "whether the log lies among the pruned results of a weak set"] = False
    errors: Annotated[int, "errors that the checker found in the log, waived ones not counted"] = 0
    nodes: Annotated[float | None, "nodes that ran it: as logged, or else as the system description says"] = None
    accelerators_per_node: Annotated[float | None, "accelerators in a node, 0 on CPU; same sources"] = None
    units: Annotated[
        float | None, "accelerators, on CPU systems processors (sockets), or nodes if neither is known"
    ] = None
    unit: Annotated[str | None, "what `units` counts: accelerator, processor or node"] = None
    system_units: Annotated[float | None, "units of the whole system that is described"] = None
    logged_benchmark: Annotated[str | None, "submission_benchmark, as logged"] = None
    logged_edition: Annotated[str | None, "rules_edition, as logged"] = None
    logged_division: Annotated[str | None, "submission_division, as logged"] = None
    batch: Annotated[float | None, "global_batch_size"] = None
    train_samples: Annotated[float | None, "samples of the training split"] = None
    eval_samples: Annotated[float | None, "samples of the validation split"] = None
    seed: Annotated[str | None, "as logged, as text"] = None
    seed_line: Annotated[int | None, "the line of the seed"] = None
    staging_line: Annotated[float | None, "the line where staging ended"] = None
    epoch_line: Annotated[float | None, "the line where the last epoch ended"] = None
    eval_line: Annotated[float | None, "the line where the last evaluation ended"] = None
    batch_line: Annotated[int | None, "the line of global_batch_size"] = None
    start_ms: Annotated[int | None, "run_start, milliseconds since 1970"] = None
    stop_ms: Annotated[int | None, "run_stop, milliseconds since 1970"] = None
    start_line: Annotated[int | None, "the line of run_start"] = None
    stop_line: Annotated[int | None, "the line of run_stop"] = None
    status: Annotated[str | None, "the status that run_stop logs; no number depends on it"] = None
    target: Annotated[float | None, "the value of the metric to be met"] = None
    converged: Annotated[bool, "whether an evaluation between run_start and run_stop met the target"] = False
    target_line: Annotated[int | None, "the line of that evaluation"] = None
    step_ms: Annotated[int | None, "between that evaluation and the one before: the resolution of the run's time"] = (
        None
    )
    seconds: Annotated[float, "run_stop - run_start where the run converged, infinity where not"] = math.inf
    epochs: Annotated[float | None, "epochs begun inside the timed span, as logged"] = None
    trained: Annotated[float | None, "samples trained until that evaluation: passes times train_samples"] = None
    passes: Annotated[
        float | None, "passes over the training split: by samples or steps where the log counts them, else epochs"
    ] = None
    evaluations: Annotated[int | None, "values of the metric inside the timed span"] = None
    quality: Annotated[float | None, "the value that met the target, or else the last"] = None
    total_ms: Annotated[int | None, "run_stop - run_start"] = None
    staging_ms: Annotated[
        int | None,
        "between staging_start and staging_stop; unknown without these, or where the log says that it ran beside",
    ] = None
    staged_ms: Annotated[int | None, "the same before run_start, which is no part of total_ms"] = None
    training_ms: Annotated[
        int | None, "in epochs, without evaluation and staging; all but staging where evaluations run beside it"
    ] = None
    evaluation_ms: Annotated[int | None, "between eval_start and eval_stop; unknown in such runs"] = None
    rest_ms: Annotated[int | None, "outside of staging, training and evaluation; unknown in such runs"] = None
    epoch_seconds: Annotated[
        float | None, "training and evaluation over epochs: seconds of an epoch with its evaluations"
    ] = None
    first_epoch_seconds: Annotated[
        float | None, "training and evaluation before the second epoch; unknown where evaluations run beside training"
    ] = None
    later_epoch_seconds: Annotated[float | None, "seconds of a later epoch with its evaluations, mean"] = None
    epochs_per_minute: Annotated[float | None, "the inverse of epoch_seconds, in minutes"] = None
    sample_rate: Annotated[float | None, "samples trained and evaluated a second of both"] = None
    train_rate: Annotated[float | None, "samples trained a second of training"] = None
    eval_rate: Annotated[float | None, "samples evaluated a second of evaluation"] = None
    compute_rate: Annotated[float | None, "samples trained a second of all that isn't staging"] = None
    train_rate_per_unit: Annotated[float | None, "train_rate over units"] = None
    au: Annotated[
        float | None,
        "accelerator utilization: the share of training time in which a rank did not wait for data, 0 to 1",
    ] = None
    au_first: Annotated[float | None, "the same of the first epoch"] = None
    au_later: Annotated[float | None, "the same of those after it"] = None
    au_barrier: Annotated[float | None, "the same of all epochs, with the wait of each step's slowest rank"] = None
    unit_hours: Annotated[float | None, "units times total hours: the compute budget"] = None
    node_hours: Annotated[float | None, "nodes times total hours"] = None
    energy_tier: Annotated[
        str | None, "what measured the run's energy: meter, node or component counters, or a rehearsal"
    ] = None
    joules: Annotated[float | None, "energy over the timed span, where measured"] = None
    training_joules: Annotated[float | None, "energy of the epochs alone"] = None
    evaluation_joules: Annotated[float | None, "energy of the evaluations alone"] = None
    fault: Annotated[str | None, "why the run has no time, if it has none"] = None
    throughput_only: Annotated[bool, "whether the log measures throughput only, and trains to no target"] = False
    measured_rate: Annotated[float | None, "samples trained a second, as such a log states"] = None
    measured_line: Annotated[int | None, "the line that states it"] = None
    layout: Annotated[str | None, "units along data x depth x height x width, as logged"] = None
    precision: Annotated[str | None, "the precision of activations, as logged"] = None
    settings: Annotated[
        str | None, "the settings that change how a step is computed, if logged and not the default"
    ] = None


_HINTS = get_type_hints(Row, include_extras=True)
COLUMNS: dict[str, str] = {name: get_args(hint)[1] for name, hint in _HINTS.items()}

PANDAS = {bool: "boolean", int: "Int64", str: "object", float: "float64"}


def kind(name: str) -> str:
    """The pandas type of a column before repeated texts become categories."""
    hint = get_args(_HINTS[name])[0]
    return next(kind for known, kind in PANDAS.items() if known in (hint, *get_args(hint)))


TYPES = {name: kind(name) for name in COLUMNS}
OF_ONE_RUN = ("log", "seed", "fault")  # texts that differ from run to run; others repeat
REPEATED = [name for name, kind in TYPES.items() if kind == "object" and name not in OF_ONE_RUN]
