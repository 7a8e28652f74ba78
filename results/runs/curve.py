"""A run's convergence curve: the metric over epochs."""

from compliance.reading.run import Run
from compliance.reading.series import Evaluation
from results.runs.row import LARGEST, first


def curve(run: Run) -> list[tuple[float, float]]:
    """(epochs done, value) of every evaluation."""
    return [(epochs, e.value) for epochs, e in points(run)]


def points(run: Run) -> list[tuple[float, Evaluation]]:
    """(epochs done, evaluation) of every evaluation.

    The epochs follow from the samples where the log counts them, from the logged epochs where these differ, from steps
    otherwise, and without steps evaluations are spaced evenly.
    """
    found = [e for e in run.evaluations if all(n is None or abs(n) < LARGEST for n in (e.epoch, e.step, e.value))]
    return list(zip(places(run, found), found, strict=True)) if found else []


def places(run: Run, found: list[Evaluation]) -> list[float]:
    """The epochs done at each evaluation."""
    steps, epochs = [e.step for e in found], [e.epoch for e in found]
    count = len(run.spans["epoch"]) / run.parts or len(found)
    samples = first(run.value("train_samples"))
    logged = [epoch for epoch in epochs if epoch is not None]
    if run.samples is not None and samples and len(logged) == len(epochs):
        return [epoch / samples for epoch in logged]
    if len(set(logged)) == len(epochs):
        return [epoch + run.shift for epoch in logged]
    counted = [step for step in steps if step is not None]
    if len(counted) == len(steps) and counted[-1]:
        return [step / counted[-1] * count for step in counted]
    return [(i + 1) * count / len(steps) for i in range(len(steps))]
