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
    as training, and evaluation and rest are None. Staging is None where it can't be told from training (`is_staged`).
    """

    total: int
    staging: int | None
    training: int
    evaluation: int | None
    rest: int | None


def decompose(run: Run) -> Decomposition | None:
    """The parts of the time between `run_start` and `run_stop`; None without a timed span."""
    if run.window is None:
        return None
    total = run.window[1] - run.window[0]
    parts = {kind: length(found) for kind, found in kinds(run).items()}
    staging = parts["staging"] if is_staged(run) else None
    if is_beside(run):
        return Decomposition(total, staging, total - parts["staging"], None, None)
    return Decomposition(total, staging, parts["training"], parts["evaluation"], parts["rest"])


def is_staged(run: Run) -> bool:
    """Whether a log tells staging from training: it has staging, and does not say that this ran beside training."""
    return len(run.spans["staging"]) > 0 and run.value("synchronous_staging") is not False


def staged_before(run: Run) -> int | None:
    """Milliseconds of staging before `run_start`, which no time of the run counts; None where there is no start, or no
    staging in the log."""
    start = run.start_ms
    if start is None or not is_staged(run):
        return None
    return sum(min(stop, start) - since for since, stop in union(run.spans["staging"]) if since < start)


def first_epoch(run: Run) -> int | None:
    """Milliseconds of training and evaluation before the second epoch; None where no second one begins in the timed
    span, or evaluations run beside training."""
    if run.window is None or is_beside(run):
        return None
    start, stop = run.window
    begun = sorted(since for since, _ in run.spans["epoch"] if start <= since < stop)
    if len(begun) <= run.parts:
        return None
    spans = kinds(run)
    return length(clip([*spans["training"], *spans["evaluation"]], (start, begun[run.parts])))


def is_beside(run: Run) -> bool:
    """Whether evaluations run beside training: an epoch begins or ends while one runs."""
    edges = sorted(edge for span in run.spans["epoch"] for edge in span)
    return any(bisect_right(edges, start) < bisect_left(edges, stop) for start, stop in run.spans["eval"])


def kinds(run: Run) -> dict[str, list[Span]]:
    """{kind: disjoint spans inside the timed span, in milliseconds}; {} without a timed span."""
    if run.window is None:
        return {}
    staging = run.spans["staging"] if is_staged(run) else ()
    return divide(run.window, staging, run.spans["epoch"], run.spans["eval"])


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
