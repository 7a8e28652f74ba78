"""Editions of the rules: rules/<edition>/{rules.md,limits.yaml}, parsed into frozen dataclasses."""

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.config import build, read_yaml, suggest

ROOT = Path(__file__).resolve().parent
HEADING = re.compile(r"^## ([A-Z]{2,4}\d{2}) (.+)$")
BY_REVIEW = "(by review)"
DEFAULT = "v1.0"


@dataclass(frozen=True)
class Rule:
    """A rule of an edition: its code, its sentence, its reason, and the line of its heading in rules.md."""

    code: str
    sentence: str
    reason: str
    line: int

    @property
    def by_review(self) -> bool:
        """Whether only people can check it."""
        return self.sentence.endswith(BY_REVIEW)


@dataclass(frozen=True)
class Key:
    """What a log says under one key. Everything None isn't asked for."""

    kind: str | None = None  # int, number, string, bool, list, object
    required: bool = False
    closed: bool = False  # the limits below bind in the closed division alone
    min: float | None = None
    above: float | None = None
    max: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] | None = None
    equals: Any = None
    close: float | None = None  # equal to a relative 1e-9
    length: int | None = None
    many: bool = False  # may be logged more than once
    only_if: tuple[tuple[str, Any], ...] = ()  # required only where these keys have these values


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
    keys: dict[str, Any] = field(default_factory=dict)  # name -> Key fields
    configured: dict[str, str] = field(default_factory=dict)  # key -> its name within `hyperparameters`

    def __post_init__(self) -> None:
        if self.score not in (None, "dice", "mean"):
            raise ValueError(f"score: found {self.score!r}, wanted dice or mean")


@dataclass(frozen=True)
class Published:
    """What a problem's data and model are: published numbers that runs must meet."""

    benchmark: str
    target: float
    train_samples: int
    eval_samples: int
    parameter_count: int | None = None
    problem_digest: str | None = None
    data_seed: int | None = None
    fingerprints: dict[str, str] = field(default_factory=dict)
    class_counts: dict[str, tuple[int, ...]] = field(default_factory=dict)


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


@dataclass(frozen=True)
class Seeds:
    """What a seed must be."""

    bits: int  # fewest bits of a fresh seed
    sources: tuple[str, ...] = ()
    clock_window: float = 0.0  # seconds around its line in which a seed is the clock; 0: may be
    across: bool = True  # distinct across everything given, not in its set alone


@dataclass(frozen=True)
class Curves:
    """When two evaluation curves are the same run."""

    leading: int  # equal values from the start that make a replay
    shortest: int  # equal curves of fewer values than this prove nothing


@dataclass(frozen=True)
class Limits:
    """limits.yaml."""

    edition: str
    title: str
    benchmarks: dict[str, Any]
    clock: Clock
    seeds: Seeds
    curves: Curves
    keys: dict[str, Any] = field(default_factory=dict)
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
    many_ranks: bool = False  # several ranks write into one log
    unfinished_forgiven: bool = False  # a log of a set that breaks off is a run that did not converge
    description_rules: bool = False  # a system description's division overrules the logs'
    system_nodes_logged: bool = False  # instances may log the nodes of the whole system as theirs
    throughput_rules: tuple[str, ...] = ()  # that judge a throughput-only log and its set; (): there is no such log


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

    def __reduce__(self):  # crossing to a worker process: by name, it loads its own
        return (load, (self.name, self.folder.parent))


def editions(root: Path = ROOT) -> list[str]:
    """The names of the editions there are."""
    return sorted(p.parent.name for p in root.glob("*/rules.md"))


@functools.lru_cache(maxsize=64)
def load(name: str, root: Path = ROOT) -> Edition:
    """The edition of that name. Raises ValueError naming what is known, or the file and what is wrong in it."""
    if name not in editions(root):
        raise ValueError(f"no edition {name!r} of the rules{suggest(name, editions(root))}")
    folder = root / name
    limits = build(Limits, read_yaml(folder / "limits.yaml"), f"{name}/limits.yaml")
    where = f"{name}/limits.yaml"
    common = _keys(limits.keys, where)
    benchmarks = {n: build(Benchmark, values, f"{where}: benchmarks.{n}") for n, values in limits.benchmarks.items()}
    return Edition(
        name=name,
        folder=folder,
        rules=read_rules(folder / "rules.md"),
        limits=limits,
        benchmarks=benchmarks,
        problems={n: _published(values, f"{where}: problems.{n}") for n, values in limits.problems.items()},
        keys={n: {**common, **_keys(b.keys, where)} for n, b in benchmarks.items()},
    )


def _keys(values: dict[str, Any], where: str) -> dict[str, Key]:
    return {name: build(Key, fields or {}, f"{where}: keys.{name}") for name, fields in values.items()}


def _published(values: dict[str, Any], where: str) -> Published:
    published = build(Published, values, where)
    counts = {split: tuple(c) for split, c in published.class_counts.items()}
    return Published(**{**published.__dict__, "class_counts": counts})


def read_rules(path: Path) -> dict[str, Rule]:
    """The rules of a rules.md: one `## CODE sentence` heading each, the reason below it. Raises ValueError on a
    code given twice or a rule without a reason."""
    rules: dict[str, Rule] = {}
    heading: tuple[str, str, int] | None = None
    reason: list[str] = []

    def close() -> None:
        if heading is None:
            return
        code, sentence, line = heading
        if code in rules:
            raise ValueError(f"{path}:{line}: rule {code} is given twice")
        if not "".join(reason).strip():
            raise ValueError(f"{path}:{line}: rule {code} has no reason")
        rules[code] = Rule(code, sentence, "\n".join(reason).strip(), line)

    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = HEADING.match(text)
        if match or text.startswith("# "):
            close()
            heading = (match[1], match[2].strip(), number) if match else None
            reason = []
        elif heading:
            reason.append(text)
    close()
    return rules
