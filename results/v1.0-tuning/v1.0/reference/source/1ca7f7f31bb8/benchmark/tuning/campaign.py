"""A campaign of tuning: a frozen file that says what is searched, how, at which cost. Its digest is in every log.

    problem: smoke
    batch_size: 2
    space:
      learning_rate: {low: 1.0e-4, high: 1.0e-2, scale: log}
      warmup_epochs: {values: [0, 1, 2]}
    trials: 16
    budget: {epochs: 8}

`campaign.json` in the campaign's folder is its canonical text: JSON with sorted names, without spaces, every field.
"""

import dataclasses
import hashlib
import itertools
import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.config import build, number, plain, read_yaml, shown
from benchmark.log import open_regular

FILE = "campaign.json"  # in the campaign's folder
SAMPLERS = ("halton", "grid", "random", "list", "optuna")
LARGEST = 256 << 10  # bytes of a campaign
MOST_TRIALS = 1000
MOST_AXES = 20  # as many as there are bases for Halton's sequence
MOST_VALUES = 1000  # of an axis, and of a list
FEWEST_CONFIRMATIONS = 3  # of which the figure of merit leaves one
MOST = 10**9  # of any number: epochs, seconds, bounds


@dataclass(frozen=True)
class Axis:
    """What a setting may be: from `low` to `high` on a `scale`, whole numbers alone where it is `integer`, of which a
    grid takes `points`; or one of `values`. Raises ValueError for anything else."""

    low: float | None = None
    high: float | None = None
    scale: str = "linear"
    integer: bool = False
    points: int | None = None
    values: tuple[Any, ...] | None = None

    def __post_init__(self):
        if self.values is not None:
            if not 1 <= len(self.values) <= MOST_VALUES or self.low is not None or self.high is not None:
                raise ValueError(f"values: found {len(self.values)}, wanted 1 to {MOST_VALUES}, without low and high")
            if not all(map(is_value, self.values)):
                raise ValueError(f"values: found {shown(self.values)}, wanted numbers, texts, true, false, or lists")
            return
        if self.low is None or self.high is None or not -MOST <= self.low < self.high <= MOST:
            raise ValueError(f"found low {self.low} and high {self.high}, wanted low < high, or values")
        if self.scale not in ("linear", "log"):
            raise ValueError(f"scale: found {shown(self.scale)}, wanted linear or log")
        if self.scale == "log" and not self.low >= 1e-30:
            raise ValueError(f"low: found {self.low}, wanted at least 1e-30 on a log scale")
        if self.points is not None and not 2 <= self.points <= MOST_VALUES:
            raise ValueError(f"points: found {self.points}, wanted 2 to {MOST_VALUES}")
        if self.integer and (self.low % 1 or self.high % 1):
            raise ValueError(f"found low {self.low} and high {self.high}, wanted whole numbers where it is integer")


@dataclass(frozen=True)
class Budget:
    """What a trial may take: so many epochs, or so many seconds from `run_start`, after which it ends at the first
    evaluation."""

    epochs: int | None = None
    seconds: float | None = None

    def __post_init__(self):
        given = [value for value in (self.epochs, self.seconds) if value is not None]
        if len(given) != 1 or not 0 < given[0] <= MOST:
            raise ValueError(f"found epochs {self.epochs} and seconds {self.seconds}, wanted one of them, above 0")


@dataclass(frozen=True)
class Pruning:
    """A trial ends after an evaluation, from epoch `epochs` on, that is worse than the median of earlier trials at that
    epoch: of those that were over `settled` seconds before, if there are `trials` of them."""

    rule: str = "median"
    epochs: int = 1
    trials: int = 4
    settled: float = 2.0

    def __post_init__(self):
        if self.rule != "median":
            raise ValueError(f"rule: found {shown(self.rule)}, wanted median")
        if not (1 <= self.epochs <= MOST and 1 <= self.trials <= MOST_TRIALS and 0 <= self.settled <= MOST):
            raise ValueError(f"found {self}, wanted epochs and trials of 1 or more, and settled of 0 or more")


@dataclass(frozen=True)
class Campaign:
    """A campaign. `space` is by setting, in the order of names; `settings` are what all trials have beside their point;
    `points` are those of the sampler `list`. Raises ValueError for what is no campaign."""

    problem: str
    batch_size: int
    trials: int
    budget: Budget
    space: dict[str, Axis] = dataclasses.field(default_factory=dict)
    sampler: str = "halton"
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    parallel: int = 1
    pruning: Pruning | None = None
    confirmations: int = 5
    points: tuple[Any, ...] = ()

    def __post_init__(self):
        if not self.problem.isprintable() or not 0 < len(self.problem) <= 100:
            raise ValueError(f"problem: found {shown(self.problem)}, wanted the name of a problem")
        for name, least, most in (
            ("batch_size", 1, 1 << 20),
            ("trials", 1, MOST_TRIALS),
            ("parallel", 1, MOST_TRIALS),
            ("confirmations", FEWEST_CONFIRMATIONS, MOST_TRIALS),
        ):
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name}: found {getattr(self, name)}, wanted {least} to {most}")
        if self.sampler not in SAMPLERS:
            raise ValueError(f"sampler: found {shown(self.sampler)}, wanted one of {', '.join(SAMPLERS)}")
        if not 1 <= len(self.space) <= MOST_AXES:
            raise ValueError(f"space: found {len(self.space)} settings, wanted 1 to {MOST_AXES}")
        fixed = {"batch_size", "epochs"}
        for name in (*self.space, *self.settings):
            if name in fixed or (name in self.space and name in self.settings) or not name.isidentifier():
                wanted = "a setting's name, once, and neither batch_size nor epochs: the campaign fixes these"
                raise ValueError(f"found the setting {shown(name)}, wanted {wanted}")
        for name, value in self.settings.items():
            if not is_value(value):
                raise ValueError(f"settings.{name}: found {shown(value)}, wanted a number, text, true, false or a list")
        self._points()

    def _points(self) -> None:
        """Raises ValueError where a list or a grid doesn't have as many points as there are trials."""
        if (self.sampler == "list") != bool(self.points):
            raise ValueError(f"points: found {len(self.points)} with the sampler {self.sampler}, wanted them for list")
        for at in self.points:
            if not isinstance(at, dict) or at.keys() != self.space.keys():
                raise ValueError(f"points: found {shown(at)}, wanted a value for each of {', '.join(self.space)}")
            for name, value in at.items():
                if not within(self.space[name], value):
                    raise ValueError(f"points: found {name} {shown(value)}, wanted one within the space")
        found = len(self.points) if self.sampler == "list" else self.trials
        if self.sampler == "grid":
            free = [name for name, axis in self.space.items() if axis.values is None and axis.points is None]
            if free:
                raise ValueError(f"space.{free[0]}: found no points, wanted them, or values, for a grid")
            found = math.prod(len(axis.values) if axis.values else axis.points for axis in self.space.values())
        if found != self.trials:
            raise ValueError(f"trials: found {self.trials}, wanted {found}, as many as the {self.sampler} has points")

    @cached_property
    def text(self) -> str:
        """The canonical text."""
        return json.dumps(_plain(self), sort_keys=True, separators=(",", ":"), allow_nan=False)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the canonical text, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def fixed(self) -> dict[str, Any]:
        """The settings that the campaign fixes for every trial, whatever its point."""
        epochs = {} if self.budget.epochs is None else {"epochs": self.budget.epochs}
        return {**self.settings, "batch_size": self.batch_size, **epochs}


def is_value(value: Any) -> bool:
    """Whether it is what a setting may be: a number, a printable text, a truth, or a list of these."""
    if isinstance(value, list | tuple):
        return len(value) <= MOST_VALUES and all(map(is_scalar, value))
    return is_scalar(value)


def is_scalar(value: Any) -> bool:
    """Whether it is one number, text or truth of an ordinary size."""
    if type(value) is str:
        return value.isprintable() and len(value) <= 1000
    return type(value) is bool or (type(value) in (int, float) and -(2**53) <= value <= 2**53)


def within(axis: Axis, value: Any) -> bool:
    """Whether a value is one that the axis allows."""
    if axis.values is not None:
        return any(same(value, other) for other in axis.values)
    whole = type(value) is int if axis.integer else type(value) in (int, float)
    return whole and axis.low <= value <= axis.high


def same(one: Any, other: Any) -> bool:
    """Whether two values of a setting are equal: numbers by what they are, lists however they are held."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(itertools.starmap(same, zip(one, other, strict=True)))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


def campaign_of(values: Any, where: str) -> Campaign:
    """The campaign that plain values say. Raises ValueError, opened by `where`, for what is none."""
    if not isinstance(values, dict):
        raise ValueError(f"{where}: found {shown(values)}, wanted the fields of a campaign")
    space, settings, points = (values.get(name) or {} for name in ("space", "settings", "points"))
    for name, found in (("space", space), ("settings", settings)):
        if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
            raise ValueError(f"{where}: {name}: found {shown(found)}, wanted settings by name")
    if not isinstance(points or [], list):
        raise ValueError(f"{where}: points: found {shown(points)}, wanted a list")
    axes = {name: _axis(space[name], f"{where}: space.{name}") for name in sorted(space)}
    fixed = {name: number(settings[name]) for name in sorted(settings)}
    listed = tuple({str(k): number(v) for k, v in p.items()} if isinstance(p, dict) else p for p in points or ())
    return build(Campaign, {**values, "space": axes, "settings": fixed, "points": listed}, where)


def _axis(values: Any, where: str) -> Axis:
    if isinstance(values, dict):
        numbers = {name: number(values[name]) for name in ("low", "high") if name in values}
        values = {**values, **numbers}
        if isinstance(values.get("values"), list):
            values["values"] = [number(value) for value in values["values"]]
    return build(Axis, values, where)


def read_campaign(path: Path) -> Campaign:
    """The campaign that a YAML file of ours says. Raises ValueError, naming the file."""
    return campaign_of(read_yaml(path), str(path))


def read_frozen(path: Path) -> Campaign:
    """The campaign whose canonical text a file is: a stranger's. Raises ValueError for any other file, OSError for one
    that can't be read."""
    with open_regular(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"found more than {LARGEST} bytes, wanted at most so many")
    try:
        campaign = campaign_of(json.loads(data), FILE)
        sound = campaign.text.encode() == data
    except RecursionError:
        raise ValueError("found values nested too deep, wanted a campaign") from None
    if not sound:
        raise ValueError("found another text than the campaign's canonical one, wanted it byte for byte")
    return campaign


def _plain(campaign: Campaign) -> dict[str, Any]:
    """Every field as JSON can hold it."""
    space = {name: plain(axis) for name, axis in campaign.space.items()}
    fields = {f.name: getattr(campaign, f.name) for f in dataclasses.fields(campaign)}
    return {**{name: plain(value) for name, value in fields.items()}, "space": space}
