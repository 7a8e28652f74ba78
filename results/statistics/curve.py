"""A run's convergence curve: the metric over epochs."""

from compliance.reading.run import Run
from results.tables.row import LARGEST, first


def curve(run: Run) -> list[tuple[float, float]]:
    """(epochs done, value) of every evaluation. Several to an epoch are placed by their steps, else evenly, and by
    samples where these are counted."""
    found = [e for e in run.evaluations if all(n is None or abs(n) < LARGEST for n in (e.epoch, e.step, e.value))]
    if not found:
        return []
    steps, epochs = [e.step for e in found], [e.epoch for e in found]
    count = len(run.spans["epoch"]) or len(found)
    samples = first(run.value("train_samples"))
    if run.samples is not None and samples and None not in epochs:
        return [(e.epoch / samples, e.value) for e in found]
    if len(set(epochs)) == len(epochs) and None not in epochs:
        shift = 1 - (run.first_epoch if run.first_epoch is not None else 1)
        return [(e.epoch + shift, e.value) for e in found]
    if None not in steps and steps[-1]:
        return [(e.step / steps[-1] * count, e.value) for e in found]
    return [((i + 1) * count / len(steps), e.value) for i, e in enumerate(found)]
