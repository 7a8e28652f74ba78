"""The fields of limits.yaml and their meaning. `rules/edition.py` loads them; an unknown field is an error."""

import math
from dataclasses import dataclass, field
from typing import Any

from benchmark.config import suggest
from benchmark.environment.manifest import NODE, OTHER, RUN
from rules.bands import HeldOut, Reevaluation
from rules.energy import Energy
from rules.reference import ReferencePoint
from rules.tuning import Tuning

SEVERITIES = ("error", "warning", "review", "info")
KEPT = ("none", "optional", "required")  # whether a round has a registry, launch ledgers, or a witness
WEIGHTS = ("optional", "required")
SPENT = ("cpu_seconds", "read_bytes", "written_bytes", "compile_seconds")  # what a run counts before its clock starts


def one_of(name: str, found: Any, known: tuple[str, ...]) -> None:
    """Raise ValueError, which begins with `name`, unless a value is one of those known."""
    if found not in known:
        raise ValueError(f"{name}: found {found!r}, wanted one of {', '.join(known)}")


@dataclass(frozen=True)
class Benchmark:
    """One benchmark."""

    runs: int
    metric: str  # the key of the evaluation's score
    target: float | None = None  # None: each problem has its own
    lower: bool = False  # whether lower scores are better
    score: str | None = None  # how it follows from logged metadata: dice, from counts, or mean, from sums
    sample_counts: bool = False  # whether the sums are of Dice, and follow from logged counts of each sample: EVL16
    label: str = ""  # what every heading of its results says
    forgiven: int = 1  # runs of a set that may fail to converge
    score_min: float = 0.0
    score_above: float | None = None
    score_max: float | None = None
    evaluations_per_epoch: int = 1  # after equal parts of an epoch, each of which is logged as an epoch: 0.25, 0.5, ...
    epoch_num: str = "epochs"  # what epoch_num of events counts: epochs, or samples trained
    settings: dict[str, Any] = field(default_factory=dict)  # name -> Setting: those that define what is trained
    keys: dict[str, Any] = field(default_factory=dict)  # name -> fields of Key
    configured: dict[str, str] = field(default_factory=dict)  # key -> its name in `hyperparameters`
    configured_in_steps: dict[str, str] = field(default_factory=dict)  # the same, of epochs that the key has as steps
    reference_epochs: dict[int, ReferencePoint] = field(default_factory=dict)  # where problems have no name

    def __post_init__(self) -> None:
        if self.score not in (None, "dice", "mean"):
            raise ValueError(f"score: found {self.score!r}, wanted dice or mean")
        if self.evaluations_per_epoch < 1:
            raise ValueError(f"evaluations_per_epoch: found {self.evaluations_per_epoch}, wanted 1 or more")
        if self.epoch_num not in ("epochs", "samples"):
            raise ValueError(f"epoch_num: found {self.epoch_num!r}, wanted epochs or samples")

    @property
    def configured_keys(self) -> tuple[str, ...]:
        """The keys that repeat a setting, as it is or in steps."""
        return (*self.configured, *self.configured_in_steps)


@dataclass(frozen=True)
class Published:
    """One problem: the published numbers of its data and model, which runs must meet."""

    benchmark: str
    target: float
    train_samples: int
    eval_samples: int
    parameter_count: int | None = None
    buffer_count: int = 0  # numbers of the model that are no parameters, such as running means
    problem_digest: str | None = None
    data_seed: int | None = None
    site_data: bool = False  # whether sites get the data elsewhere, so that no fingerprints are published
    fingerprints: dict[str, str] = field(default_factory=dict)  # by split
    datasets: dict[str, dict[str, str]] = field(default_factory=dict)  # name of a site -> fingerprints of its copy
    class_counts: dict[str, tuple[int, ...]] = field(default_factory=dict)  # split -> voxels of each class
    reference_epochs: dict[int, ReferencePoint] = field(default_factory=dict)  # batch size -> the reference's epochs
    replay: dict[int, tuple[float, float]] = field(default_factory=dict)  # epoch -> band, see edition.replay_band
    replay_early: float | None = None  # band of the loss, relative, in the first steps of a replay's first epoch
    reevaluation: Reevaluation | None = None  # band for final weights
    held_out: HeldOut | None = None  # band for final weights on data unknown to the entrant
    outputs: int | None = None  # number of sums that an evaluation logs, for a mean score
    bytes: dict[str, int] = field(default_factory=dict)  # split -> fewest bytes that reading it takes
    flops_per_sample: int | None = None  # operations of training on one sample

    def __post_init__(self) -> None:
        for name, found in self.datasets.items():
            if set(found) != {"train", "validation"}:
                raise ValueError(f"datasets.{name}: found {sorted(found)}, wanted fingerprints of train and validation")


@dataclass(frozen=True)
class Clock:
    """Limits of the clock, in seconds unless stated otherwise."""

    not_before: str  # dates between which runs were made
    not_after: str
    back_ms: int  # milliseconds by which time may run back without a finding
    back_warn_ms: int  # milliseconds up to which it is a warning and no error
    gap: float  # between init_stop and run_start
    init: float  # from init_start to init_stop
    stop_delay: float  # from the passing evaluation to run_stop
    shortest_run: float
    longest_run: float
    slack: float = 0.1  # relative difference allowed between an epoch's figures and the clock
    slack_seconds: float = 0.2  # ... and in addition, where the figures give more than the clock
    paused_seconds: float = 0.2  # ... and in addition, where they give less
    excess: float = 0.1  # relative difference allowed where the figures give more than the clock
    measured_share: float = 0.0  # least share of their time on the clock that measured steps and passes fill
    eval_share: float = 0.0  # least time to evaluate a sample, as a share of the time to train one
    first_epoch_share: float = 0.0  # least time of the first epoch, as a share of the later ones' median
    resolution: float = 0.01  # tolerance of these two
    init_share: float = 1.0  # longest initialisation as a share of the run's time ...
    init_free: float = 1800.0  # ... or this, whichever is longer
    future: float = 86400.0  # how far a log's clock may be ahead of the checker's
    overlap: float = 1.0  # how long two runs may share a system
    end_delay: float = math.inf  # from a log's last event to its end in the launch ledger
    launch_slack: float = 1.0  # how far a launch ledger's times may be from the logs', and run back
    witness_slack: float = 5.0  # how far the witness's clock may be from the logs'
    witness_begin: float = 120.0  # longest time from the receipt of a start to init_start


@dataclass(frozen=True)
class Seeds:
    """Limits of seeds."""

    bits: int  # fewest bits of a fresh seed
    sources: tuple[str, ...] = ()  # allowed origins; (): any
    clock_window: float = 0.0  # seconds around its line within which a seed counts as the clock; 0: not checked
    across: bool = True  # whether seeds must differ across all that is given, and not only in a set
    modulus_bits: int = 63  # seeds are compared modulo 2 to this power
    distance: int = 0  # seeds that differ by less are close to each other; 0: not checked
    low_bits: int = 0  # low bits, which some generators use alone, in which seeds must differ; 0: not checked
    drawn_slack: float = 0.0  # seconds that a run may begin before its registry entry was drawn


@dataclass(frozen=True)
class Curves:
    """When two evaluation curves are the same run."""

    leading: int  # consecutive equal scores that make a replay
    shortest: int  # equal curves with fewer different scores than this prove nothing
    closest: dict[str, float] = field(default_factory=dict)  # by `score`: distance below which it is a copy, see RUN20
    near: dict[str, float] = field(default_factory=dict)  # ... below which a person looks, at the same epoch
    telling: float = 10.0  # evaluations closer than this times `closest` to an empty or perfect one are skipped
    fewest: int = 10_000  # voxels of the foreground; with fewer, counts may be equal by chance
    equal: float = 0.5  # share of equal numbers above which it is a copy


@dataclass(frozen=True)
class Compute:
    """Upper bounds on the speed of devices, in 10^12 FLOP/s by precision."""

    core: dict[str, float]  # of one core of a processor
    accelerator: dict[str, float]
    cores_per_node: int  # most cores of a node
    review: float  # share of the peak from which a person looks


@dataclass(frozen=True)
class Weights:
    """Limits of the final weights that runs hand in."""

    use: str  # optional, or required of every run that reached its target
    largest: int  # bytes up to which a file is handed in; of a larger one only the digest
    shared: float  # share of numbers in equal tensors above which two runs are copies
    deviations: float  # standard deviations that a held-out score may be below the mean: HeldOut.least
    parameter_bytes: float = 0.0  # fewest bytes of a file for each parameter

    def __post_init__(self) -> None:
        one_of("use", self.use, WEIGHTS)


@dataclass(frozen=True)
class Environment:
    """Limits of environment manifests."""

    use: str  # optional, or required of every run
    largest: int  # bytes of a manifest
    same: dict[str, str]  # fact of a node -> severity of a difference between runs of a set
    same_nodes: dict[str, str]  # ... between nodes of a run
    memory: float  # relative difference allowed between described and actual memory
    same_sets: tuple[str, ...] = ()  # facts of a node in which a person looks at a difference between sets of a system
    told: tuple[str, ...] = ()  # facts of a run or a node that a person looks for where they have no value
    in_memory: tuple[str, ...] = ()  # file systems that are no storage
    startup: tuple[str, ...] = ()  # sha256 of what may run before a program
    finders: tuple[str, ...] = ()  # import finders of Python and its usual packages
    spent: dict[str, float] = field(default_factory=dict)  # cpu_seconds, read_bytes, ... -> most before the clock

    def __post_init__(self) -> None:
        one_of("use", self.use, WEIGHTS)
        for severity in (*self.same.values(), *self.same_nodes.values()):
            one_of("same", severity, SEVERITIES)
        for name in {*self.same, *self.same_nodes, *self.same_sets, *self.told} - {*NODE, *RUN, OTHER}:
            raise ValueError(f"environment: unknown fact {name!r}{suggest(name, {**NODE, **RUN})}")
        for name in set(self.spent) - set(SPENT):
            raise ValueError(f"environment: spent: unknown {name!r}{suggest(name, SPENT)}")


@dataclass(frozen=True)
class Io:
    """Limits of trials of the input."""

    node_bytes_per_second: float  # upper bound on what a node's devices and ports deliver
    counter_slack: float  # share by which threads may count more bytes from a device than the device
    counter_free: int  # ... and bytes in addition
    ceiling_slack: float  # how far utilization may be above that of the loop without reads


@dataclass(frozen=True)
class Convergence:
    """When a set needs fewer epochs than the reference, by the chance that an honest set does."""

    surprise: float = 0.0  # a person looks: RUN22
    chance: float = 0.0  # below what the points allow: RUN23
    expected: bool = False  # whether a person looks at sets for which there are no points: RUN22
    olympic: bool = False  # whether means leave out the fastest and the slowest run, as MLPerf's do

    def __post_init__(self) -> None:
        for name, found in (("surprise", self.surprise), ("chance", self.chance)):
            if not 0 <= found <= 0.5:
                raise ValueError(f"{name}: found {found}, wanted a number from 0 to 0.5")


@dataclass(frozen=True)
class Limits:
    """limits.yaml. With `based_on`, it is that edition's file with the changes written here (rules/patch.py)."""

    title: str
    rules: dict[str, Any]  # family -> codes of the rules in force
    benchmarks: dict[str, Any]
    clock: Clock
    seeds: Seeds
    curves: Curves
    compute: Compute | None = None
    convergence: Convergence | None = None
    weights: Weights | None = None  # None: runs hand in no weights
    environment: Environment | None = None  # None: runs hand in no manifests
    energy: Energy | None = None  # None: no rule judges energy counters
    io: Io | None = None  # None: there are no trials of the input
    source_numbers: int | None = None  # most numbers of a file of source that nobody must look at; None: any
    based_on: str | None = None
    draft: bool = False  # whether no round uses it yet, so that it is not the current edition
    keys: dict[str, Any] = field(default_factory=dict)  # for every benchmark, in addition to its own
    settings: dict[str, Any] = field(default_factory=dict)  # for every benchmark, in addition to its own
    data_types: dict[str, str] = field(default_factory=dict)  # of activations: plain or scaled
    machine_settings: tuple[str, ...] = ()  # settings of the machine that nobody reviews
    problems: dict[str, Any] = field(default_factory=dict)
    severity: dict[str, str] = field(default_factory=dict)  # code -> severity that differs from the check's own
    scalings: tuple[str, ...] = ("strong", "weak")  # with `throughput`, there are throughput-only logs
    weak_runs: int = 1
    same_in_set: tuple[str, ...] = ()
    same_code: tuple[str, ...] = ()
    same_system: tuple[str, ...] = ()
    same_problem: tuple[str, ...] = ()
    system_fields: dict[str, Any] = field(default_factory=dict)
    year: int = 0  # of the round's logs: selects the edition if neither logs nor folders name one
    rank_spread: float = 0.0  # seconds within which several ranks may log one event
    many_ranks: bool = False  # whether several ranks write into one log, so that equal events count once
    tolerant: bool = False  # whether faults that the published round accepted are warnings
    unfinished_forgiven: bool = False  # whether a log that breaks off counts as a run that did not converge
    description_rules: bool = False  # whether a system description's division overrides the logs'
    system_nodes_logged: bool = False  # whether to look for instances that log the nodes of the whole system
    registry: str = "none"  # whether entrants register and are assigned seeds: none, optional or required
    ledger: str = "none"  # whether sets have a launch ledger: none, optional or required
    witness: str = "none"  # whether runs are told to the organisers' witness: none, optional or required
    witness_key: str = ""  # its public key, 64 hexadecimal digits
    tuning: Tuning | None = None  # None: there are no campaigns of tuning

    def __post_init__(self) -> None:
        for name in ("registry", "ledger", "witness"):
            one_of(name, getattr(self, name), KEPT)
