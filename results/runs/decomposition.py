"""Dividing the time of a run among staging, training, evaluation and the rest."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from compliance.reading.run import Run
from compliance.reading.series import Span
from results.runs.intervals import clip, length, subtract, union

PARTS = ("staging", "training", "evaluation", "rest")  # of a run's time, in the order of every view


@dataclass(frozen=True)
class Decomposition:
    """Milliseconds of a run's timed span; `total` is exactly the sum of the parts.

    Time in two kinds of span counts for the first of staging, evaluation and training. Training is the time in epochs
    without evaluations. The rest lies outside of all spans: set-up after the clock started, checkpoints between epochs,
    shutting down. Where evaluations run beside training, logs don't tell the two apart: all that isn't staging counts
    as training, and evaluation and rest are None.
    """

    total: int
    staging: int
    training: int
    evaluation: int | None
    rest: int | None


def decompose(run: Run) -> Decomposition | None:
    """The parts of the time between `run_start` and `run_stop`; None without a timed span."""
    if run.window is None:
        return None
    total = run.window[1] - run.window[0]
    parts = {kind: length(found) for kind, found in kinds(run).items()}
    if is_beside(run):
        return Decomposition(total, parts["staging"], total - parts["staging"], None, None)
    return Decomposition(total, **parts)


def is_beside(run: Run) -> bool:
    """Whether evaluations run beside training: an epoch begins or ends while one runs."""
    edges = sorted(edge for span in run.spans["epoch"] for edge in span)
    return any(bisect_right(edges, start) < bisect_left(edges, stop) for start, stop in run.spans["eval"])


def kinds(run: Run) -> dict[str, list[Span]]:
    """{kind: disjoint spans inside the timed span, in milliseconds}; {} without a timed span."""
    if run.window is None:
        return {}
    return divide(run.window, run.spans["staging"], run.spans["epoch"], run.spans["eval"])


def divide(
    window: Span, staging: Sequence[Span], epochs: Sequence[Span], evals: Sequence[Span]
) -> dict[str, list[Span]]:
    """{kind: disjoint spans of a window}. The given spans may overlap, nest and reach out of the window."""
    staged = clip(union(staging), window)
    evaluation = subtract(clip(union(evals), window), staged)
    training = subtract(subtract(clip(union(epochs), window), staged), evaluation)
    rest = subtract([window], union([*staged, *evaluation, *training]))
    return {"rest": rest, "training": training, "evaluation": evaluation, "staging": staged}


def epoch_count(run: Run) -> float | None:
    """The number of epochs, or parts of them, begun inside the timed span; None if the log has no timed span or no
    epoch."""
    if run.window is None or not run.spans["epoch"]:
        return None
    begun = sum(run.window[0] <= start < run.window[1] for start, _ in run.spans["epoch"])
    return begun if run.parts == 1 else begun / run.parts
