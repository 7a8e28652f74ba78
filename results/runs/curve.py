"""A run's convergence curve: the metric over epochs."""

from compliance.reading.run import Evaluation, Run
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
    if run.samples is not None and samples and None not in epochs:
        return [epoch / samples for epoch in epochs]
    if len(set(epochs)) == len(epochs) and None not in epochs:
        return [epoch + run.shift for epoch in epochs]
    if None not in steps and steps[-1]:
        return [step / steps[-1] * count for step in steps]
    return [(i + 1) * count / len(steps) for i in range(len(steps))]
