"""Editions of the rules: rules/<edition>/limits.yaml, parsed into frozen dataclasses, and the texts of its rules."""

import dataclasses
import functools
import re
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.config import build, read_yaml, suggest
from benchmark.environment.manifest import NODE, OTHER
from rules.bands import HeldOut, Reevaluation
from rules.energy import Energy, refuse_without
from rules.key import Key
from rules.needs import have_classes, refuse_gaps
from rules.patch import patched
from rules.reference import ReferencePoint, reference_points
from rules.settings import settings_of
from rules.text import Rule, read_texts
from rules.tuning import Tuning

ROOT = Path(__file__).resolve().parent
TEXTS = "texts"
OURS = re.compile(r"v(\d+)\.(\d+)")  # an edition of this project's rounds
SEVERITIES = ("error", "warning", "review", "info")
KEPT = ("none", "optional", "required")  # a registry, or launch ledgers
WEIGHTS = ("optional", "required")


@dataclass(frozen=True)
class Benchmark:
    """What the rules say of one benchmark."""

    runs: int
    metric: str  # the key of the evaluation's score
    target: float | None = None  # None: the problem's
    lower: bool = False  # whether lower scores are better
    score: str | None = None  # what its events' metadata must give: dice, from counts, or mean, from sums
    forgiven: int = 1  # runs of a set that may fail to converge
    score_min: float = 0.0
    score_above: float | None = None
    score_max: float | None = None
    epoch_num: str = "epochs"  # what the events' epoch_num counts: epochs, or samples trained
    logged_rate: bool = False  # whether training's samples a second are what the log says: evaluations run beside it
    settings: dict[str, Any] = field(default_factory=dict)  # that `hyperparameters` must hold at least: name -> Setting
    keys: dict[str, Any] = field(default_factory=dict)  # name -> Key fields
    configured: dict[str, str] = field(default_factory=dict)  # key -> its name within `hyperparameters`

    def __post_init__(self) -> None:
        if self.score not in (None, "dice", "mean"):
            raise ValueError(f"score: found {self.score!r}, wanted dice or mean")
        if self.epoch_num not in ("epochs", "samples"):
            raise ValueError(f"epoch_num: found {self.epoch_num!r}, wanted epochs or samples")


@dataclass(frozen=True)
class Published:
    """What a problem's data and model are: published numbers that runs must meet."""

    benchmark: str
    target: float
    train_samples: int
    eval_samples: int
    parameter_count: int | None = None
    buffer_count: int = 0  # floating-point numbers of the model beside its parameters, such as running means
    problem_digest: str | None = None
    data_seed: int | None = None
    site_data: bool = False  # whether sites have the data from elsewhere, so that no fingerprints are published
    fingerprints: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, dict[str, str]] = field(default_factory=dict)  # registered by sites: name -> fingerprints
    class_counts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    reference_epochs: dict[int, ReferencePoint] = field(default_factory=dict)  # batch size -> the reference's epochs
    replay: dict[int, tuple[float, float]] = field(default_factory=dict)  # epoch -> see replay_band
    reevaluation: Reevaluation | None = None  # of final weights
    held_out: HeldOut | None = None  # of final weights, on data that nobody knew
    outputs: int | None = None  # sums that an evaluation of a mean score logs
    bytes: dict[str, int] = field(default_factory=dict)  # split -> the least that reading it takes
    flops_per_sample: int | None = None  # of training on one sample

    def __post_init__(self) -> None:
        for name, found in self.datasets.items():
            if set(found) != {"train", "validation"}:
                raise ValueError(f"datasets.{name}: found {sorted(found)}, wanted fingerprints of train and validation")


@dataclass(frozen=True)
class Clock:
    """Limits of the clock, in seconds where not said otherwise."""

    not_before: str  # dates between which runs were made
    not_after: str
    back_ms: int  # how far time may run back from one line to the next
    back_warn_ms: int  # ... and how far before it is an error and not a quirk
    gap: float  # between init_stop and run_start
    init: float  # from init_start to init_stop
    stop_delay: float  # from the passing evaluation to run_stop
    shortest_run: float
    longest_run: float
    slack: float = 0.1  # how far, relatively, an epoch's own figures may be from its clock
    slack_seconds: float = 0.2
    eval_share: float = 0.0  # least time of a sample's evaluation, of its training's
    first_epoch_share: float = 0.0  # least time of the first epoch, of the later ones' median
    resolution: float = 0.01  # how far such times may be below their floor
    init_share: float = 1.0  # longest initialisation, of the run's time ...
    init_free: float = 1800.0  # ... or this, whichever is longer
    future: float = 86400.0  # how far the clock of a log may be ahead of the checker's
    overlap: float = 1.0  # for which two runs may share a system
    launch_slack: float = 1.0  # how far the times of a launch ledger may be from those of logs, and run back


@dataclass(frozen=True)
class Seeds:
    """What a seed must be."""

    bits: int  # fewest bits of a fresh seed
    sources: tuple[str, ...] = ()
    clock_window: float = 0.0  # seconds around its line in which a seed is the clock; 0: may be
    across: bool = True  # distinct across everything given, not in its set alone
    modulus_bits: int = 63  # seeds are compared modulo 2 to this power, and are to have `bits` of what is left
    distance: int = 0  # seeds whose difference is smaller are close to each other; 0: none are
    low_bits: int = 0  # that some generators take alone, so that two seeds should differ in them; 0: none do
    drawn_slack: float = 0.0  # seconds that a run may begin before its entry in the registry was drawn


@dataclass(frozen=True)
class Curves:
    """When two evaluation curves are the same run."""

    leading: int  # equal values from the start that make a replay
    shortest: int  # equal curves of fewer values than this prove nothing
    closest: dict[str, float] = field(default_factory=dict)  # by `score`: nearest that two evaluations come, see RUN20
    near: dict[str, float] = field(default_factory=dict)  # ... that a person looks at, at the same epoch
    telling: float = 10.0  # times as far from a perfect evaluation, and from an empty one, are evaluations compared
    fewest: int = 10_000  # voxels of the foreground: of fewer, chance makes counts equal
    equal: float = 0.5  # more equal numbers than this share make a copy


@dataclass(frozen=True)
class Compute:
    """The fastest that a device computes, generously, in 10^12 FLOP/s by precision."""

    core: dict[str, float]  # a core of a processor
    accelerator: dict[str, float]
    cores_per_node: int  # counted at most
    review: float  # share of the peak from which a person looks


@dataclass(frozen=True)
class Weights:
    """What is handed in of a run's final weights."""

    use: str  # optional, or required of every run that reached its target
    largest: int  # bytes of a file that is handed in; of a larger one the digest alone
    shared: float  # share of equal numbers, in tensors that are equal bit for bit, above which two runs are one
    deviations: float  # of honest differences by which a held-out score may be below their mean: HeldOut.least

    def __post_init__(self) -> None:
        if self.use not in WEIGHTS:
            raise ValueError(f"use: found {self.use!r}, wanted one of {', '.join(WEIGHTS)}")


@dataclass(frozen=True)
class Environment:
    """What is handed in of what runs ran on: the manifest of their environment, and what of it must be equal."""

    use: str  # optional, or required of every run
    largest: int  # bytes of a manifest
    same: dict[str, str]  # fact of a node -> the severity of a difference between runs of a set
    same_nodes: dict[str, str]  # ... between nodes of a run
    memory: float  # how far, relatively, described memory may be from what nodes have

    def __post_init__(self) -> None:
        if self.use not in WEIGHTS:
            raise ValueError(f"use: found {self.use!r}, wanted one of {', '.join(WEIGHTS)}")
        for severity in (*self.same.values(), *self.same_nodes.values()):
            if severity not in SEVERITIES:
                raise ValueError(f"same: found {severity!r}, wanted one of {', '.join(SEVERITIES)}")
        for name in {*self.same, *self.same_nodes} - {*NODE, OTHER}:
            raise ValueError(f"same: unknown fact {name!r}{suggest(name, NODE)}")


@dataclass(frozen=True)
class Io:
    """What a trial of the input may say."""

    node_bytes_per_second: float  # the most that a node's devices and ports deliver, generously
    counter_slack: float  # share by which threads may have more bytes from a device than the device read
    counter_free: int  # ... and bytes beside it
    ceiling_slack: float  # of utilization above that of the loop without reads


@dataclass(frozen=True)
class Convergence:
    """When a set's epochs are surprisingly few next to the reference's."""

    surprise: float  # one-sided p below which a person looks


@dataclass(frozen=True)
class Limits:
    """limits.yaml. With `based_on`, it is that edition's with what is written here on top: see rules/patch.py."""

    title: str
    rules: dict[str, Any]  # family -> codes of the rules in force
    benchmarks: dict[str, Any]
    clock: Clock
    seeds: Seeds
    curves: Curves
    compute: Compute | None = None
    convergence: Convergence | None = None
    weights: Weights | None = None  # None: runs hand in none
    environment: Environment | None = None  # the same
    energy: Energy | None = None  # None: no rule judges what counters say
    io: Io | None = None
    based_on: str | None = None
    keys: dict[str, Any] = field(default_factory=dict)  # of every benchmark, as are
    settings: dict[str, Any] = field(default_factory=dict)  # ... these: each benchmark has its own on top
    problems: dict[str, Any] = field(default_factory=dict)
    severity: dict[str, str] = field(default_factory=dict)  # where an edition differs from the check's own
    scalings: tuple[str, ...] = ("strong", "weak")
    weak_runs: int = 1
    same_in_set: tuple[str, ...] = ()
    same_code: tuple[str, ...] = ()
    same_system: tuple[str, ...] = ()
    same_problem: tuple[str, ...] = ()
    system_fields: dict[str, Any] = field(default_factory=dict)
    year: int = 0  # of a round whose logs name no edition: where no folder names one either, they are told by it
    rank_spread: float = 0.0  # seconds within which many ranks may log one event
    many_ranks: bool = False  # several ranks write into one log: what all of them say is read once
    tolerant: bool = False  # what a published round accepted is a warning
    unfinished_forgiven: bool = False  # a log of a set that breaks off is a run that did not converge
    description_rules: bool = False  # a system description's division overrules the logs'
    system_nodes_logged: bool = False  # whether instances that log the nodes of the whole system are looked for
    releases: dict[str, Any] = field(default_factory=dict)  # name -> {path: sha256}: rules/release.py
    throughput_rules: tuple[str, ...] = ()  # that judge a throughput-only log and its set; (): there is no such log
    io_rules: tuple[str, ...] = ()  # that judge a trial of the input; (): there is no such log
    registry: str = "none"  # whether entrants register and are assigned their seeds: none, optional or required
    ledger: str = "none"  # whether sets have a launch ledger: none, optional or required
    tuning: Tuning | None = None  # None: there are no campaigns of tuning

    def __post_init__(self) -> None:
        for name in ("registry", "ledger"):
            if getattr(self, name) not in KEPT:
                raise ValueError(f"{name}: found {getattr(self, name)!r}, wanted one of {', '.join(KEPT)}")


@dataclass(frozen=True)
class Edition:
    """One edition: its rules by code, its limits built into types."""

    name: str
    folder: Path
    rules: dict[str, Rule]
    limits: Limits
    benchmarks: dict[str, Benchmark]
    problems: dict[str, Published]
    keys: dict[str, dict[str, Key]]  # benchmark -> key name -> Key, common keys first

    @functools.cached_property
    def codes(self) -> frozenset[str]:
        """The codes of its rules."""
        return frozenset(self.rules)

    @functools.cached_property
    def throughput_codes(self) -> frozenset[str]:
        """The codes of the rules that judge a throughput-only log, and a set of them."""
        return self.codes.intersection(self.limits.throughput_rules)

    @functools.cached_property
    def io_codes(self) -> frozenset[str]:
        """The codes of the rules that judge a trial of the input."""
        return self.codes.intersection(self.limits.io_rules)

    def __reduce__(self):  # crossing to a worker process: by name, it loads its own
        return (load, (self.name, self.folder.parent))


def editions(root: Path = ROOT) -> list[str]:
    """The names of the editions there are."""
    return sorted(p.parent.name for p in root.glob("*/limits.yaml"))


def current(root: Path = ROOT) -> str:
    """The newest edition of this project's rounds: what runs log, and what judges where no folder names an edition.
    `python rules/new.py` makes the next. Raises ValueError where there is none."""
    ours = [name for name in editions(root) if OURS.fullmatch(name)]
    if not ours:
        raise ValueError(f"{root}: found no edition v<number>.<number> of the rules, wanted one")
    return max(ours, key=version)


def version(name: str) -> tuple[int, int]:
    """The numbers of an edition of this project's rounds, by which the newest is told. Raises ValueError for any other
    name."""
    match = OURS.fullmatch(name)
    if not match:
        raise ValueError(f"found the edition {name!r}, wanted v<number>.<number>, such as v1.1")
    return int(match[1]), int(match[2])


@functools.lru_cache(maxsize=64)
def load(name: str, root: Path = ROOT) -> Edition:
    """The edition of that name. The texts are those of `root`, or ours where it has none.

    Raises ValueError naming what is known, or the file and what is wrong in it.
    """
    if name not in editions(root):
        raise ValueError(f"no edition {name!r} of the rules{suggest(name, editions(root))}")
    where = f"{name}/limits.yaml"
    limits = build(Limits, _read_limits(name, root), where)
    texts = read_texts(next(folder / TEXTS for folder in (root, ROOT) if (folder / TEXTS).is_dir()))
    common = _keys(limits.keys, where)
    benchmarks = {n: build(Benchmark, values, f"{where}: benchmarks.{n}") for n, values in limits.benchmarks.items()}
    keys = {n: {**common, **_keys(b.keys, where)} for n, b in benchmarks.items()}
    rules = _in_force(limits, texts, where)
    refuse_without(limits.energy, rules, where)
    classes = have_classes(limits.problems, {n: b.score for n, b in benchmarks.items()})
    problems = {n: _published(values, f"{where}: problems.{n}") for n, values in limits.problems.items()}
    for n, problem in problems.items():
        _complete(problem, limits.problems[n], benchmarks, rules.keys(), classes, f"{where}: problems.{n}")
    return Edition(
        name=name,
        folder=root / name,
        rules=rules,
        limits=limits,
        benchmarks={n: _benchmark(b, limits, keys[n], f"{where}: benchmarks.{n}") for n, b in benchmarks.items()},
        problems=problems,
        keys=keys,
    )


def _read_limits(name: str, root: Path) -> Any:
    """What limits.yaml says, on top of what the edition says that it is based on."""
    values = read_yaml(root / name / "limits.yaml")
    base = values.get("based_on") if isinstance(values, dict) else None
    if base is None:
        return values
    where, known = f"{name}/limits.yaml", [n for n in editions(root) if n != name]
    if base not in known:
        raise ValueError(f"{where}: based_on: no edition {base!r}{suggest(str(base), known)}")
    below = read_yaml(root / base / "limits.yaml")
    if not isinstance(below, dict) or "based_on" in below:
        raise ValueError(f"{where}: based_on: found {base!r}, wanted an edition that is based on no other")
    return patched(below, values, where)


def _in_force(limits: Limits, texts: dict[str, Rule], where: str) -> dict[str, Rule]:
    """The rules of an edition by code, in its order."""
    rules: dict[str, Rule] = {}
    for family, codes in limits.rules.items():
        if not isinstance(codes, list):
            raise ValueError(f"{where}: rules.{family}: found {codes!r}, wanted a list of codes")
        for code in codes:
            _known(code, texts, f"{where}: rules.{family}")
            if code in rules:
                raise ValueError(f"{where}: rules.{family}: {code} is listed twice")
            if texts[code].path.stem != family:
                raise ValueError(f"{where}: rules.{family}: found {code}, wanted codes of this family")
            rules[code] = texts[code]
    for code, severity in limits.severity.items():
        _known(code, rules, f"{where}: severity")
        if severity not in SEVERITIES:
            raise ValueError(f"{where}: severity.{code}: found {severity!r}, wanted one of {', '.join(SEVERITIES)}")
    for name in ("throughput_rules", "io_rules"):
        for code in getattr(limits, name):
            _known(code, texts, f"{where}: {name}")
    for code in (*limits.tuning.trials_without, *limits.tuning.confirmations_without) if limits.tuning else ():
        _known(code, texts, f"{where}: tuning")
    return rules


def _known(code: Any, rules: dict[str, Rule], where: str) -> None:
    if code not in rules:
        raise ValueError(f"{where}: unknown rule {code!r}{suggest(str(code), rules)}")


def _keys(values: dict[str, Any], where: str) -> dict[str, Key]:
    return {name: build(Key, fields or {}, f"{where}: keys.{name}") for name, fields in values.items()}


def _benchmark(benchmark: Benchmark, limits: Limits, keys: dict[str, Key], where: str) -> Benchmark:
    settings = settings_of({**limits.settings, **benchmark.settings}, keys, benchmark.configured, where)
    return dataclasses.replace(benchmark, settings=settings)


def _complete(
    problem: Published,
    values: dict[str, Any],
    benchmarks: dict[str, Benchmark],
    codes: Set[str],
    classes: set[str],
    where: str,
) -> None:
    """Raises ValueError if a problem is of no benchmark of the edition, or lacks what its rules need."""
    name = problem.benchmark
    if name not in benchmarks:
        raise ValueError(f"{where}: benchmark: found {name!r}, wanted the edition's{suggest(name, benchmarks)}")
    refuse_gaps(values, codes, benchmarks[name].score == "mean", name in classes, where)


def _published(values: Any, where: str) -> Published:
    published = build(Published, values, where)
    counts = {split: tuple(c) for split, c in published.class_counts.items()}
    points = reference_points(published.reference_epochs, f"{where}.reference_epochs")
    band = replay_band(published.replay, f"{where}.replay")
    return dataclasses.replace(published, class_counts=counts, reference_epochs=points, replay=band)


def replay_band(values: Any, where: str) -> dict[int, tuple[float, float]]:
    """`replay` of a problem: by epoch, how far an honest replay on another machine may be from a log: the loss,
    relative to the logged one, and the score. Raises ValueError, opened by `where`, for anything else."""
    band = {}
    for epoch, limits in values.items():
        sound = isinstance(limits, list) and len(limits) == 2 and all(type(x) in (int, float) for x in limits)
        if type(epoch) is not int or epoch < 1 or not sound or not all(0 < x < 1 for x in limits):
            raise ValueError(
                f"{where}: found {epoch!r}: {limits!r}, wanted an epoch: [loss, score], each within 0 to 1"
            )
        band[epoch] = tuple(map(float, limits))
    return band
