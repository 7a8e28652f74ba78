"""A projection to the target: epochs, hours, node-hours, energy and what the file system must give, with their errors.

Epochs come from the reference points of the rules, or are assumed. Seconds of an epoch have the errors of the system's
rates, each of which is tried by itself.
"""

import dataclasses
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.workload import module_of
from perf.projection.machine import Errors, System
from perf.projection.predict import Prediction, predict
from results.statistics.student import t_quantile
from rules.current import current
from rules.edition import load
from rules.reference import neighbours

KINDS = tuple(field.name for field in dataclasses.fields(Errors))
Interval = tuple[float, float, float]  # what is expected, and the ends of its interval


@dataclass(frozen=True)
class Epochs:
    """The epochs to the target, with the ends of an interval, and their origin in words."""

    expected: float
    low: float
    high: float
    origin: str


def epochs_of(problem: Any, batch: int) -> Epochs | None:
    """The mean epochs of the reference's runs at a batch size, and the 95 % interval of this mean; None where the rules
    have no points for it."""
    points = load(current()).points(problem.workload, problem.name)
    if batch not in neighbours(points, batch):
        return None
    point = points[batch]
    half = t_quantile(0.975, point.runs - 1) * point.deviation / math.sqrt(point.runs)
    origin = f"{point.runs} runs of the reference at batch size {batch}"
    return Epochs(point.mean, max(1.0, point.mean - half), point.mean + half, origin)


def assumed(least: float, most: float) -> Epochs:
    """Epochs that the command line gives. Raises ValueError unless 0 < least <= most, and both are finite."""
    if not 0 < least <= most < math.inf:
        raise ValueError(f"--epochs: found {least:g} {most:g}, wanted the least and the most, more than 0")
    return Epochs(statistics.geometric_mean((least, most)), least, most, "assumed")


def deviations(problem: Any, system: System, found: Prediction) -> dict[str, tuple[float, float]]:
    """{kind of rates: (logarithm of an epoch with better ones over the epoch, the same with worse ones)}, of the kinds
    that the system states errors of."""
    changes = {}
    for kind in KINDS:
        if error := getattr(system.errors, kind):
            tried = [system.scaled(kind, factor) for factor in (1 + error, 1 / (1 + error))]
            epochs = [predict(problem, found.config, one, found.layout).epoch for one in tried]
            changes[kind] = tuple(math.log(epoch / found.epoch) for epoch in epochs)
    return changes


def combined(expected: float, changes: Sequence[tuple[float, float]]) -> Interval:
    """A product with the ends of its interval: errors are independent, and each is a pair of logarithms."""
    low, high = (math.sqrt(math.fsum(change[side] ** 2 for change in changes)) for side in (0, 1))
    return expected, expected * math.exp(-low), expected * math.exp(high)


def target_row(problem: Any, system: System, found: Prediction, epochs: Epochs | None) -> dict[str, Any]:
    """The row of a prediction to the target: plain values, None for what nobody knows."""
    changes = deviations(problem, system, found)
    of_epoch = combined(found.epoch, list(changes.values()))
    row: dict[str, Any] = {"read_gb_per_s": reading(problem, found) / 1e9, "epochs_from": epochs and epochs.origin}
    row |= ends("epoch_s", of_epoch)
    row |= {f"epoch_of_{kind}": [math.expm1(change) for change in pair] for kind, pair in changes.items()}
    if not epochs:
        return row | {"epochs": None, "hours": None, "node_hours": None, "kwh": None}
    own = (math.log(epochs.low / epochs.expected), math.log(epochs.high / epochs.expected))
    hours = combined(epochs.expected * found.epoch / 3600, [*changes.values(), own])
    nodes = -(-found.layout.ranks // system.ranks_per_node)
    row |= ends("epochs", (epochs.expected, epochs.low, epochs.high)) | ends("hours", hours)
    row |= ends("node_hours", tuple(nodes * hour for hour in hours))
    return row | (
        ends("kwh", tuple(system.node_kw * nodes * hour for hour in hours)) if system.node_kw else {"kwh": None}
    )


def ends(name: str, interval: Interval) -> dict[str, float]:
    """The columns of a quantity with an interval."""
    expected, low, high = interval
    return {name: expected, f"{name}_low": low, f"{name}_high": high}


def reading(problem: Any, found: Prediction) -> float:
    """The bytes/s that all ranks together read at most, in training or in evaluation, if reading is never waited
    for: every sample comes from the file system in every epoch."""
    seconds, replicas = found.seconds, found.layout.data
    rates = (found.config.batch_size / (seconds.step - seconds.wait), replicas / seconds.evaluation)
    return module_of(problem).file_bytes(problem) * max(rates)
