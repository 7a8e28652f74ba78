"""A system's rates from what was measured on it: the rates whose predictions come closest to throughput-only logs.

Least squares over what a rank computes, every log's deviations in shares of its step. Rates of wires are measured by
perf/wires.py; logs say how long ranks wait besides.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from scipy.optimize import least_squares

from implementations.pytorch.projection.machine import ByPrecision, System, Wire
from implementations.pytorch.projection.measured import WIRES, Measured
from implementations.pytorch.projection.predict import STEP, optimizer_bytes, step_seconds

PRECISIONS = ("float32", "bfloat16")


def calibrate(runs: Sequence[Measured], base: System) -> System:
    """`base` with the peaks that logs name and the rates that fit them best. What they say nothing of is kept."""
    peaks = {run.config.precision: run.peak_tflops for run in runs}
    kept = {name: peaks.get(name, getattr(base.peak_tflops, name)) for name in PRECISIONS}
    names = ", ".join(run.path.name for run in runs)
    system = replace(base, peak_tflops=ByPrecision(**kept), source=f"measured: calibrated with {names}")
    return fit_waiting(runs, fit_optimizer(runs, fit_work(runs, system)))


def fit_work(runs: Sequence[Measured], system: System) -> System:
    """`system` with the shares that fit best: of the matrix rate, in the precisions that logs have, and of memory's."""
    names = [name for name in PRECISIONS if any(run.config.precision == name for run in runs)]

    def rates(logarithms: np.ndarray) -> System:
        *shares, memory = np.exp(logarithms).tolist()
        reached = replace(system.reached, **dict(zip(names, shares, strict=True)))
        return replace(system, reached=reached, memory_reached=memory)

    def deviations(logarithms: np.ndarray) -> list[float]:
        tried = rates(logarithms)
        return [deviation for run in runs for deviation in work_deviations(run, tried)]

    start = [*(getattr(system.reached, name) for name in names), system.memory_reached]
    return rates(least_squares(deviations, np.log(start)).x)


def work_deviations(run: Measured, system: System) -> list[float]:
    """Predicted less measured seconds of passes forward and backward and of a sample's evaluation, in shares of the
    step."""
    wanted = step_seconds(run.traced, run.config, system, run.layout)
    found = {"forward": run.seconds["forward"], "backward": run.seconds["backward"], "evaluation": run.evaluation}
    return [(getattr(wanted, name) - seconds) / run.step for name, seconds in found.items()]


def fit_optimizer(runs: Sequence[Measured], system: System) -> System:
    """`system` with the share of memory's rate that optimizers reached, all logs together."""
    moved = sum(optimizer_bytes(run.traced, run.config, run.layout) for run in runs)
    rate = moved / sum(run.seconds["optimizer"] for run in runs)
    return replace(system, optimizer_reached=rate / (1e9 * system.memory_gb_per_second))


def fit_waiting(runs: Sequence[Measured], system: System) -> System:
    """`system` with how long ranks wait for each other, in shares of what they compute: the median, over logs of more
    than one rank, of what their messages took beyond what the wires' rates say. Where they took less, the rates are
    too low, and are raised to fit."""
    together = [run for run in runs if run.layout.ranks > 1]
    if not together:
        return system
    punctual = replace(system, imbalance=0.0)
    found = [sum(run.seconds[part] for part in WIRES) for run in together]
    wires = [step_seconds(run.traced, run.config, punctual, run.layout) for run in together]
    wanted = [sum(getattr(seconds, part) for part in WIRES) for seconds in wires]
    worked = [sum(run.seconds[phase] for phase in STEP) for run in together]
    waits = median((a - b) / work for a, b, work in zip(found, wanted, worked, strict=True))
    if waits >= 0:
        return replace(system, imbalance=min(1.0, waits))
    faster = median(b / a for a, b in zip(found, wanted, strict=True))
    return replace(punctual, link=quicker(system.link, faster), network=quicker(system.network, faster))


def quicker(wire: Wire, times: float) -> Wire:
    """A wire so many times as fast."""
    return Wire(wire.gb_per_second * times, wire.microseconds / times)
