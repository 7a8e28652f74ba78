"""Dividing the time of a run among staging, training, evaluation and the rest.

Time in two kinds of span counts for the first of staging, evaluation and training. Training is the time in epochs
without evaluations. The rest lies outside of all spans: set-up after the clock started, checkpoints between epochs,
shutting down.
"""

from bisect import bisect_left, bisect_right

from compliance.reading.run import Run
from compliance.reading.series import Span
from results.runs.intervals import REST, divide, length, union

PARTS = ("staging", "training", "evaluation", REST)  # of a run's time, in the order of every view


def decompose(run: Run) -> dict[str, int | None]:
    """{`<part>_ms`: milliseconds} of a run's parts and of its total, which is exactly their sum; {} without a timed
    span.

    Where evaluations run beside training, logs don't tell the two apart: all that isn't staging counts as training, and
    evaluation and rest are None. Staging is None where it can't be told from training (`is_staged`).
    """
    if run.window is None:
        return {}
    total = run.window[1] - run.window[0]
    parts: dict[str, int | None] = {f"{kind}_ms": length(found) for kind, found in kinds(run).items()}
    if is_beside(run):
        parts |= {"training_ms": total - (parts["staging_ms"] or 0), "evaluation_ms": None, "rest_ms": None}
    return parts | {"total_ms": total} | ({} if is_staged(run) else {"staging_ms": None})


def is_staged(run: Run) -> bool:
    """Whether a log tells staging from training: it has staging, and does not say that this ran beside training."""
    return len(run.spans["staging"]) > 0 and run.value("synchronous_staging") is not False


def staged_before(run: Run) -> int | None:
    """Milliseconds of staging before `run_start`, which no time of the run counts; None where there is no start, or no
    staging in the log."""
    start = run.start_ms
    if start is None or not is_staged(run):
        return None
    return length(union((since, min(stop, start)) for since, stop in run.spans["staging"]))


def first_epoch(run: Run) -> int | None:
    """Milliseconds of training and evaluation before the second epoch; None where no second one begins in the timed
    span, or evaluations run beside training."""
    if run.window is None or is_beside(run):
        return None
    start, stop = run.window
    begun = sorted(since for since, _ in run.spans["epoch"] if start <= since < stop)
    if len(begun) <= run.parts:
        return None
    found = kinds(run, (start, begun[run.parts]))
    return length(found["training"]) + length(found["evaluation"])


def is_beside(run: Run) -> bool:
    """Whether evaluations run beside training: an epoch begins or ends while one runs."""
    edges = sorted(edge for span in run.spans["epoch"] for edge in span)
    return any(bisect_right(edges, start) < bisect_left(edges, stop) for start, stop in run.spans["eval"])


def kinds(run: Run, window: Span | None = None) -> dict[str, list[Span]]:
    """{kind: disjoint spans inside the timed span, or inside another window, in milliseconds}; {} without a timed
    span."""
    window = window or run.window
    if window is None:
        return {}
    staging = run.spans["staging"] if is_staged(run) else ()
    return divide(window, {"staging": staging, "evaluation": run.spans["eval"], "training": run.spans["epoch"]})


def epoch_count(run: Run) -> float | None:
    """The number of epochs, or parts of them, begun inside the timed span; None if the log has no timed span or no
    epoch."""
    if run.window is None or not run.spans["epoch"]:
        return None
    begun = sum(run.window[0] <= start < run.window[1] for start, _ in run.spans["epoch"])
    return begun if run.parts == 1 else begun / run.parts
