"""The events of a run's log, in their order: the standard's keys (mlperf_logging) where it has them, and ours.

`EVENTS` says of each event in which phase of a run it belongs, what its value is, and what its metadata are. The table
of docs/implementing.md is made from it.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mlperf_logging.mllog import constants

mllog = constants  # the standard's keys


class Phase(Enum):
    """The phases of a run: before its clock starts, while it runs, and after it has stopped."""

    HEAD = "head"
    RUN = "run"
    DONE = "done"


@dataclass(frozen=True)
class EventKey:
    """An event: its key, the phase that it belongs to, and in words its value and its metadata by name."""

    key: str
    phase: Phase
    value: str
    metadata: dict[str, str] = field(default_factory=dict)


EPOCH_NUM, SAMPLES_COUNT, STATUS = mllog.EPOCH_NUM, mllog.SAMPLES_COUNT, mllog.STATUS  # metadata
TRACKED_STATS, EVAL_ERROR = "tracked_stats", "eval_error"  # keys that mlperf_logging lacks
EARLY = 10  # steps of an epoch whose mean loss is `early_loss`: replays elsewhere differ little in so few
SUCCESS, ABORTED = mllog.SUCCESS, mllog.ABORTED  # values of `status`

HEAD = (
    (mllog.CACHE_CLEAR, "true: no data of the run are in any cache yet"),
    (mllog.SUBMISSION_BENCHMARK, "the workload: scaffold, cosmoflow, deepcam, scaffold_published"),
    (mllog.SUBMISSION_ORG, "who submits, --org"),
    (mllog.SUBMISSION_DIVISION, "closed or open, --division"),
    (mllog.SUBMISSION_STATUS, "onprem, cloud or research, --status"),
    (mllog.SUBMISSION_PLATFORM, "the name of the system description, --system"),
    ("throughput_only", "true in the log of --steps, which is never scored"),
    ("io_only", "true in the log of a trial of the input, which is never scored"),
    (mllog.INIT_START, "null; the start of the initialisation"),
    (mllog.SEED, "the run's seed, 0 to 2^63 - 1", {
        "source": "os.urandom, registry, witness or rehearsal", "entry": "with registry: the number of the entry"}),
    ("problem", "the name of the problem"),
    ("problem_digest", "the sha256 of the problem's definition"),
    ("rules_edition", "the current edition of the rules"),
    ("target", "the score to reach"),
    (mllog.TRAIN_SAMPLES, "samples of the training split"),
    (mllog.EVAL_SAMPLES, "samples of the validation split"),
    ("trial", "of a trial of a campaign: {index, campaign, line}"),
    ("settings_table", "of a run whose settings come from a table: what was taken from it"),
    ("number_of_nodes", "nodes of the run"),
    ("number_of_ranks", "processes of the run"),
    ("accelerators_per_node", "accelerators that compute on a node; 0 for processors alone"),
    ("devices", "[{host, kind, name, ranks, uuids} ...], the ranks of one host and model together; of more than "
        "1024 hosts, {hosts, kind, name, ranks, distinct}: equal hosts, in short as n[01-16] (names of more than "
        "131,072 characters in short: sha256-<digest>-[1-16]), the ranks of each, distinct uuids of all"),
    ("layout", "{data, depth, height, width}: ranks by data, and by axis of a sample", {
        "tile": "consecutive ranks fill tiles of this layout: [data, depth, height, width]"}),
    ("energy_sources", "[{node, source, scope, device, wraps_at, limit_watts} ...], the counters that are read; of "
        "more than 256 also counters, nodes: so many equal counters of so many equal nodes, the first one named", {
        "unreadable": "by node: why a counter could not be read", "rehearsal": "whether the counters are made up"}),
    ("parameter_count", "trainable parameters of the network"),
    ("compiled", "whether kernels are compiled; only where the settings ask for it"),
    (mllog.GLOBAL_BATCH_SIZE, "samples of a step, over all ranks"),
    ("precision", "the type of activations", {
        "tf32": "on a GPU: whether float32 may be rounded to TF32",
        "scaling": "of a type of eight bits or fewer: by what values are scaled, and how often that changes"}),
    ("hyperparameters", "every setting of the run by name", {"machine": "the names of those that concern the machine"}),
    ("config_digest", "the sha256 of the settings as canonical JSON"),
    ("source", "one sha256 over all source files of the run", {
        "files": "the sha256 of each file by its path in the repository", "config": "which of them has the settings"}),
    ("versions", "the versions of Python and packages by name"),
    ("environment", "the sha256 of environment_<i>.json", {"bytes": "its size", "path": "its name"}),
    ("ledger", "the number of the start in ledger.jsonl", {"line": "the sha256 of the ledger's line"}),
    (mllog.INIT_STOP, "null; the end of the initialisation"),
)  # fmt: skip
RUN = (
    (mllog.RUN_START, "null; the clock starts: from here on the dataset may be touched"),
    ("resumed", "of a run that was interrupted: the values of its head, logged anew", {
        "epoch_num": "the epoch of the checkpoint", "lost_seconds": "since the checkpoint"}),
    (mllog.STAGING_START, "null; the start of copying the data to the node's own disk"),
    (mllog.STAGING_STOP, "null; its end", {"bytes": "copied, over all ranks"}),
    (mllog.EPOCH_START, "null; the start of training an epoch", {"epoch_num": "from 1"}),
    (TRACKED_STATS, "{throughput (samples/s), loss, wait_seconds, compute_seconds ...} of an epoch", {
        "epoch_num": "the epoch"}),
    (mllog.EPOCH_STOP, "null; its end", {"epoch_num": "the epoch", "samples_count": "samples that were trained on"}),
    ("dataset_fingerprint", "in the first epoch, for each split: the fingerprint of what was read", {
        "split": "train or validation", "samples_count": "samples that were read",
        "class_counts": "voxels by class, background first", "bytes_read": "{total, least_by_rank, most_by_rank}"}),
    (mllog.EVAL_START, "null; the start of an evaluation", {"epoch_num": "epochs so far"}),
    (mllog.EVAL_STOP, "null; its end", {"epoch_num": "the same", "samples_count": "samples that were evaluated"}),
    (mllog.EVAL_ACCURACY, "the score: Dice, or the intersection over union", {
        "epoch_num": "the same", "samples_count": "the same",
        "state": "with checkpoints: the digest of this epoch's, over its files' sha256 as that of the source",
        "intersection, predicted, true": "ScaFFold: voxels by class, background first",
        "sums": "DeepCAM, ScaFFold as published: by class",
        "counts": "ScaFFold as published: [hits, predicted, true] voxels by sample and foreground class"}),
    (EVAL_ERROR, "CosmoFlow's score: the mean absolute error", {
        "epoch_num": "the same", "samples_count": "the same", "sums": "of absolute errors, by parameter"}),
    ("throughput_setup", "of --steps: what is measured, and against which peak"),
    ("throughput", "of --steps: the measured rates", {"steps": "counted steps", "samples_count": "their samples"}),
    (mllog.RUN_STOP, "null; the clock stops: after the evaluation that reached the target", {
        "status": "success or aborted", "epoch_num": "epochs so far", "reason": "of an aborted run"}),
)  # fmt: skip
DONE = (("weights", "the sha256 of the file with the final weights", {"bytes": "its size", "path": "beside the log"}),)
EITHER = (  # while the run goes on, and the last one after it has stopped
    (
        "energy_reading",
        "{time_ms, joules}: a list each, with an entry for each of the sources; of counters that are "
        "told together joules is the sum, time_ms the latest time, and earliest_ms the earliest",
        {
            "moment": "the event that it belongs to",
            "gap_seconds": "the longest between two readings so far",
            "faults": "by source: why it has no joules",
        },
    ),
)

EVENTS = tuple(
    EventKey(row[0], phase, *row[1:])
    for phase, rows in ((Phase.HEAD, HEAD), (Phase.RUN, RUN), (Phase.DONE, (*DONE, *EITHER)))
    for row in rows
)
PHASES: dict[str, frozenset[Phase]] = {event.key: frozenset({event.phase}) for event in EVENTS}
PHASES |= {key: frozenset({Phase.RUN, Phase.DONE}) for key, *_ in EITHER}

SCAFFOLD = {  # settings that the standard repeats, by its keys
    mllog.OPT_BASE_LR: "learning_rate",
    mllog.OPT_END_LR: "end_learning_rate",
    mllog.OPT_ADAM_BETA_1: "beta_1",
    mllog.OPT_ADAM_BETA_2: "beta_2",
    mllog.OPT_ADAM_EPSILON: "epsilon",
    mllog.OPT_WEIGHT_DECAY: "weight_decay",
    mllog.OPT_GRADIENT_CLIP_NORM: "gradient_clip",
}


def scaffold_settings(config: Any) -> dict[str, Any]:
    """Return what the standard repeats of the settings of a run of ScaFFold, by its keys."""
    fixed = {mllog.OPT_NAME: mllog.ADAM, mllog.OPT_LR_DECAY_SCHEDULE: "cosine_decay"}
    return fixed | {key: getattr(config, name) for key, name in SCAFFOLD.items()}
