"""Comparing throughput-only logs (`train.py --steps N`) with predictions for the same runs."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.config import build
from benchmark.log import Event, read_log
from benchmark.problem import load_problem
from benchmark.run.layouts import validate_layout
from benchmark.run.log import AXES
from implementations.pytorch.config import RunConfig
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import config_class
from perf.projection.machine import System
from perf.projection.predict import at_step, step_seconds, weight_bytes
from perf.projection.trace import Trace, trace

WIRES = ("halo", "norm", "reduction")
PARTS = ("forward", "backward", *WIRES, "optimizer")


@dataclass(frozen=True)
class Measured:
    """The measurements of a throughput-only log. `seconds` is {part: seconds of a step}, the mean over ranks;
    `evaluation` is the seconds of one sample on one rank; `peak_tflops` and `memory` (peak bytes) are of a rank."""

    path: Path
    problem: Any
    config: RunConfig
    layout: Layout
    seconds: dict[str, float]
    step: float
    evaluation: float
    flops: int  # of a sample
    peak_tflops: float
    memory: int

    @property
    def traced(self) -> Trace:
        """The trace of the same step, with the samples of the rank that has most."""
        samples = -(-self.config.batch_size // (self.config.accumulate * self.layout.data))
        return trace(self.problem, self.config, self.layout.extents[1:], self.layout.data, samples)


def read_measured(path: Path) -> Measured:
    """The measurements of a log. Raises OSError, and ValueError naming the file if it is no throughput-only log of the
    reference."""
    last = {e.key: e for e in read_log(path) if isinstance(e, Event)}
    if "throughput" not in last or "throughput_setup" not in last:
        raise ValueError(f"{path}: found no event `throughput`, wanted a log of train.py --steps")
    try:
        return measured(path, last)
    except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{path}: no throughput-only log of ours: {error!r}") from None


def measured(path: Path, last: dict[str, Event]) -> Measured:
    """The measurements, from {key: its last event}."""
    problem = load_problem(last["problem"].value)
    config = build(config_class(problem.workload), last["hyperparameters"].value, f"{path}: hyperparameters")
    ranks, extents = last["number_of_ranks"].value, tuple(last["layout"].value[axis] for axis in AXES)
    tile = tuple(last["layout"].metadata["tile"])
    validate_layout(extents, tile, problem, ranks)
    layout = Layout.of(extents, tile)
    found, setup = last["throughput"].value, last["throughput_setup"].value
    return Measured(
        path,
        problem,
        config,
        layout,
        {part: float(found["seconds"][part]) for part in ("wait", *PARTS, "rest")},
        float(found["step_seconds"]),
        layout.data / float(found["evaluation"]["throughput"]),
        int(setup["flops_per_sample"]),
        float(setup["peak_tflops"]),
        int(found["peak_memory_bytes"]["most_by_rank"]),
    )


def compare(run: Measured, system: System) -> list[tuple[str, float, float]]:
    """(quantity, measured, predicted) of a step's seconds without waiting for input, its parts, TFLOP and memory.

    Messages are added up, since it is chance in which of them ranks wait for each other.
    """
    traced = run.traced
    seconds = step_seconds(traced, run.config, system, run.layout)
    plain = replace(run, config=at_step(run.config, "no")).traced
    flops = plain.flops("forward", "backward") * run.layout.boxes / plain.samples
    memory = weight_bytes(traced, run.config, run.layout) + traced.peak
    if run.config.device == "cpu":  # there the measured memory includes libraries
        memory += system.reserve_gib * 2**30
    messages = [sum(of(part) for part in WIRES) for of in (run.seconds.get, lambda part: getattr(seconds, part))]
    alone = [(f"{part} s", run.seconds[part], getattr(seconds, part)) for part in ("forward", "backward", "optimizer")]
    return [
        ("step s", run.step - run.seconds["wait"], seconds.step),
        *alone,
        *([("messages s", *messages)] if run.layout.ranks > 1 else []),
        ("evaluation s/sample", run.evaluation, seconds.evaluation),
        ("TFLOP/sample", run.flops / 1e12, flops / 1e12),
        ("memory GiB", run.memory / 2**30, memory / 2**30),
    ]


def report(runs: list[Measured], system: System) -> str:
    """A table of measured and predicted values and their ratio, for every log and quantity."""
    lines = []
    for run in runs:
        layout = ",".join(map(str, run.layout.extents))
        lines.append(
            f"{run.path.name}: {run.problem.name} {layout}, batch {run.config.batch_size}, {run.config.precision}"
        )
        for name, found, wanted in compare(run, system):
            ratio = f"{wanted / found:8.2f}" if found else "       -"
            lines.append(f"  {name:20} measured {found:10.4g}  predicted {wanted:10.4g}  ratio {ratio}")
    return "\n".join(lines)
