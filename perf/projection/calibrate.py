"""Calibrating a system: the rates whose predictions come closest to throughput-only logs.

The rates of computing are fitted by least squares within bounds, with each log's deviations in shares of its step. The
rates of links are the system file's; logs add how long ranks wait for each other. Rates that the logs do not determine
are reported, each in a sentence.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

from perf.projection.machine import MOST_SHARE, ByPrecision, System
from perf.projection.measured import WIRES, Measured
from perf.projection.predict import STEP, optimizer_bytes, step_seconds

PRECISIONS = ("float32", "bfloat16")
LEAST_SHARE = 1e-3
NOISE = 0.03  # share of a step: closer agreement of logs is chance
VAGUE = 2.0  # factor: a rate that noise can change by more is not determined by the logs
FAR = 0.3  # share of a step: a larger deviation means that rates do not describe the phase
Found = tuple[System, list[str]]


def calibrate(runs: Sequence[Measured], base: System) -> Found:
    """(system, sentences). The system is `base` with the logs' peaks and the rates that fit the logs best; other rates
    are kept. The sentences name rates that the logs do not determine or that are at a bound, and logs that do not
    fit."""
    peaks = {name: max((r.peak_tflops for r in runs if r.config.precision == name), default=0) for name in PRECISIONS}
    kept = {name: peak or getattr(base.peak_tflops, name) for name, peak in peaks.items()}
    names = ", ".join(run.path.name for run in runs)
    system = replace(base, peak_tflops=ByPrecision(**kept), source=f"measured: calibrated with {names}")
    doubts = [absent(f"reached.{name}", getattr(base.reached, name), name) for name in PRECISIONS if not peaks[name]]
    for fit in (fit_work, fit_optimizer, fit_waiting):
        system, more = fit(runs, system)
        doubts += more
    return system, doubts


def absent(name: str, value: float, of: str) -> str:
    """The sentence about a rate that is kept, since no log determines it."""
    return f"{name}: no log of {of}; {value:.4g} is what it was before"


def fit_work(runs: Sequence[Measured], system: System) -> Found:
    """`system` with the best-fitting shares of the matrix rate, for each precision in the logs, and of memory's rate.
    The sentences also name logs whose passes are predicted badly."""
    precisions = [name for name in PRECISIONS if any(run.config.precision == name for run in runs)]

    def rates(logarithms: np.ndarray) -> System:
        *shares, memory = np.exp(logarithms).clip(LEAST_SHARE, MOST_SHARE).tolist()
        reached = replace(system.reached, **dict(zip(precisions, shares, strict=True)))
        return replace(system, reached=reached, memory_reached=memory)

    def deviations(logarithms: np.ndarray) -> list[float]:
        tried = rates(logarithms)
        return [deviation for run in runs for deviation in work_deviations(run, tried)]

    start = [*(getattr(system.reached, name) for name in precisions), system.memory_reached]
    lowest, highest = math.log(LEAST_SHARE), math.log(MOST_SHARE)
    fit = least_squares(deviations, np.log(start).clip(lowest + 0.01, highest - 0.01), bounds=(lowest, highest))
    names = [*(f"reached.{name}" for name in precisions), "memory_reached"]
    found, doubts = rates(fit.x), undetermined(names, fit)
    for run in runs:
        worst = max(map(abs, work_deviations(run, found)))
        if worst >= FAR:
            off = f"predicted {worst:.0%} of a step beside what was measured"
            doubts.append(f"{run.path.name}: {off}; was the machine busy?")
    return found, doubts


def undetermined(names: Sequence[str], fit: OptimizeResult) -> list[str]:
    """Sentences about fitted shares that are at a bound, or that noise could change by more than VAGUE."""
    found = []
    for name, logarithm, error in zip(names, fit.x, standard_errors(fit), strict=True):
        share = math.exp(logarithm)
        if not 1.02 * LEAST_SHARE < share < MOST_SHARE / 1.02:
            bounds = f"found {share:.4g}, its bound ({LEAST_SHARE:g}..{MOST_SHARE:g})"
            found.append(f"{name}: {bounds}; the logs don't tell it: more of them, of other sizes, on a quiet machine")
        elif error > math.log(VAGUE):
            times = f"{math.exp(error):.2g}" if error < 5 else "100 and more"
            found.append(f"{name}: found {share:.4g}, within a factor of {times}; too few logs, or too much alike")
    return found


def standard_errors(fit: OptimizeResult) -> np.ndarray:
    """The standard error of each fitted value, by linear least squares. The noise is that of the residuals, at least
    NOISE."""
    free = len(fit.fun) - len(fit.x)
    noise = max(NOISE, math.sqrt(2 * fit.cost / free) if free > 0 else 0)
    _, scales, axes = np.linalg.svd(fit.jac, full_matrices=False)
    return noise * np.sqrt(((axes.T / np.maximum(scales, 1e-9)) ** 2).sum(1))


def work_deviations(run: Measured, system: System) -> list[float]:
    """Predicted minus measured seconds of the forward pass, the backward pass and a sample's evaluation, in shares of
    the step."""
    wanted = step_seconds(run.traced, run.config, system, run.layout)
    found = {"forward": run.seconds["forward"], "backward": run.seconds["backward"], "evaluation": run.evaluation}
    return [(getattr(wanted, name) - seconds) / run.step for name, seconds in found.items()]


def fit_optimizer(runs: Sequence[Measured], system: System) -> Found:
    """`system` with the share of memory's rate that the optimizer reached, over all logs together."""
    moved = sum(optimizer_bytes(run.traced, run.config, run.layout) for run in runs)
    rate = moved / max(sum(run.seconds["optimizer"] for run in runs), 1e-9)
    share = rate / (1e9 * system.memory_gb_per_second)
    within = min(max(share, LEAST_SHARE), MOST_SHARE)
    doubt = f"optimizer_reached: logs say {share:.4g}, wanted {LEAST_SHARE:g}..{MOST_SHARE:g}; {within:g} is its bound"
    return replace(system, optimizer_reached=within), [doubt] if within != share else []


def fit_waiting(runs: Sequence[Measured], system: System) -> Found:
    """`system` with the time that ranks wait for each other, as a share of their computing: the median over logs of
    several ranks of what messages took beyond the wires' rates."""
    together = [run for run in runs if run.layout.ranks > 1]
    if not together:
        return system, [absent("imbalance", system.imbalance, "more than one rank")]
    punctual = replace(system, imbalance=0.0)
    found = [sum(run.seconds[part] for part in WIRES) for run in together]
    wires = [step_seconds(run.traced, run.config, punctual, run.layout) for run in together]
    wanted = [sum(getattr(seconds, part) for part in WIRES) for seconds in wires]
    worked = [sum(run.seconds[phase] for phase in STEP) for run in together]
    waits = median((a - b) / work for a, b, work in zip(found, wanted, worked, strict=True))
    within = min(max(waits, 0.0), 1.0)
    doubt = f"imbalance: ranks waited {waits:.2g} times as long as they computed; {within:g} is its bound"
    if waits < 0:
        doubt = "link, network: messages took less time than these rates allow: measure them"
    return replace(system, imbalance=within), [doubt] if within != waits else []
