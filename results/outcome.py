"""What a run achieved: whether and when it met its target, and where its time went."""

from collections.abc import Sequence
from dataclasses import dataclass

from results.intervals import Span, clip, length, subtract, union
from results.run import METRICS, Evaluation, Reading, Run


def reached(run: Run, target: float | None, higher_is_better: bool | None = None) -> Evaluation | None:
    """The first evaluation, at or before `run_stop` by the clock, that meets the target; None if there is none.

    The status that a run claims plays no part.
    """
    if target is None or run.window is None or run.metric is None:
        return None
    higher = METRICS[run.metric] if higher_is_better is None else higher_is_better
    low, high = run.window
    for evaluation in run.evaluations:
        met = evaluation.value >= target if higher else evaluation.value <= target
        if met and low <= evaluation.time_ms <= high:
            return evaluation
    return None


@dataclass(frozen=True)
class Decomposition:
    """Milliseconds of a run's timed span; `total` is exactly the sum of the other four.

    Time that two kinds claim goes to the first of staging, evaluation, training. Training is what epochs leave when
    evaluation is taken out; the rest is outside all of them (set-up after the clock started, checkpoints between
    epochs, shutting down).
    """

    total: int
    staging: int
    training: int
    evaluation: int
    rest: int


def decompose(run: Run) -> Decomposition | None:
    """Where the time between `run_start` and `run_stop` went. None without a timed span."""
    return None if run.window is None else divide(run.window, run.staging, run.epochs, run.evals)


def divide(window: Span, staging: Sequence[Span], epochs: Sequence[Span], evals: Sequence[Span]) -> Decomposition:
    """The time of a window, divided; spans may overlap, nest and stick out."""
    staged = clip(union(staging), window)
    evaluated = subtract(clip(union(evals), window), staged)
    trained = subtract(subtract(clip(union(epochs), window), staged), evaluated)
    total, a, b, c = window[1] - window[0], length(staged), length(trained), length(evaluated)
    return Decomposition(total, a, b, c, total - a - b - c)


def epoch_count(run: Run) -> float | None:
    """Epochs begun inside the timed span; None where the log has none."""
    if run.window is None or not run.epochs:
        return None
    return sum(run.window[0] <= start < run.window[1] for start, _ in run.epochs)


def energy(readings: Sequence[Reading], window: Span) -> float | None:
    """Joules over a window: each reading in watts times the time since the one before, clipped to the window.

    The last reading before the window only says when the first interval began. None without a reading inside.
    """
    ordered = sorted(readings)
    total, before, inside = 0.0, window[0], False
    for time, watts in ordered:
        until = min(time, window[1])
        if until > before:
            total += watts * (until - before) / 1000
            before, inside = until, True
        if time >= window[1]:
            break
    return total if inside else None
