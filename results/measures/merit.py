"""Measures of the figure of merit, its interval, the spread of runs, and epochs beside the reference's."""

from collections.abc import Callable
from statistics import fmean, median

from results.measures.measure import Get, Measure, of_expected, of_merit, of_spread
from results.statistics.expected import expected, reference_epochs
from results.statistics.result import Result, converged_columns


def models_per_hour(r: Result) -> float | None:
    """Models an hour: M over TTTa in a throughput set, else the inverse of the figure of merit."""
    return r.throughput.models_per_hour if r.throughput else 3600 / r.fom if r.fom else None


def reference_speedup(r: Result) -> float | None:
    """The reference's mean epochs over those of the converged runs; None without reference at this batch size."""
    theirs, own = reference_epochs(r), converged_columns(r.rows)[1]
    return fmean(theirs) / fmean(own) if theirs and own else None


TUKEY = (
    "95 % interval of the figure of merit, seconds, low end (Tukey-McLaughlin); where runs end at the same evaluation, "
    "widened to half a step between evaluations"
)
PER_HOUR = "3600 over the figure of merit; for throughput sets, models that reached the target over the hours they took"
SPEEDUP = "mean epochs of the reference, by the edition's points, over the set's, at one batch size: information only"
EXPECTED_TIME = (
    "staging, and the reference's samples to the target at this batch size over the samples a second that the runs "
    "measured, evaluation included: a time without the luck of seeds, which ranks nothing"
)
OF_SPEED = "relative standard error that the measured speed brings: what two sets of one batch size are compared by"
OF_POINTS = "relative standard error that the reference's samples bring: the same for all sets of one batch size"
SAMPLES = "the reference's mean samples to the target at this batch size, on a straight line between two points"

SPAN = of_merit(lambda t: t.half)
EXPECTED_SPAN = of_expected(lambda e: (e.interval[1] - e.interval[0]) / 2)


def seconds(name: str, heading: str, meaning: str, get: Get, half: Get = SPAN) -> Measure:
    """A measure in seconds, with the digits that half an interval needs."""
    return Measure(name, heading, meaning, get, "s", half=half)


def of_runs(what: Callable[[list[float]], float]) -> Get:
    """What follows from the seconds of all runs of a set with a figure of merit."""
    return lambda r: None if r.fom is None else what(r.seconds)


def relative(name: str, heading: str, meaning: str, get: Get) -> Measure:
    """A relative error, in percent with two digits."""
    return Measure(name, heading, meaning, get, half=get, share=True)


MERIT = (
    Measure("runs", "runs", "runs in the set, pruned models not counted", lambda r: r.score.n),
    Measure("converged", "converged", "runs that met the target", lambda r: r.score.converged),
    Measure("required", "required", "runs that a score needs", lambda r: None if r.weak else r.score.required),
    Measure("dropped", "dropped", "runs dropped from each end (k)", lambda r: None if r.weak else r.score.k),
    seconds(
        "fom_seconds", "figure of merit", "the figure of merit: trimmed mean of seconds", of_merit(lambda t: t.mean)
    ),
    Measure(
        "fom_minutes", "figure of merit", "the same in minutes", of_merit(lambda t: t.mean / 60), "min", decimals=2
    ),
    seconds("fom_low", "95 % interval", TUKEY, of_merit(lambda t: t.low)),
    seconds("fom_high", "to", "high end", of_merit(lambda t: t.high)),
    seconds("fom_standard_error", "standard error", "its standard error", of_merit(lambda t: t.standard_error)),
    Measure("fom_degrees", "degrees of freedom", "its degrees of freedom", of_merit(lambda t: t.degrees)),
    seconds("median_seconds", "median", "median of all runs", of_runs(median)),
    seconds("least_seconds", "fastest run", "seconds of the fastest run", of_runs(min)),
    seconds("most_seconds", "slowest run", "seconds of the slowest run", of_runs(max)),
    Measure("seeds", "seeds", "different seeds, as logged", lambda r: len(r.seeds) or None),
    Measure("models_per_hour", "models an hour", PER_HOUR, models_per_hour),
    Measure("cv", "CV", "coefficient of variation of the converged runs' seconds", of_spread(lambda s: s.time)),
    Measure("cv_epochs", "CV of epochs", "the same of their epochs", of_spread(lambda s: s.epochs)),
)
REFERENCE = (Measure("reference_speedup", "reference's epochs over its own", SPEEDUP, reference_speedup),)
EXPECTED = (
    seconds("expected_seconds", "expected time", EXPECTED_TIME, of_expected(lambda e: e.seconds), EXPECTED_SPAN),
    seconds("expected_low", "95 % interval", "its low end", of_expected(lambda e: e.interval[0]), EXPECTED_SPAN),
    seconds("expected_high", "to", "high end", of_expected(lambda e: e.interval[1]), EXPECTED_SPAN),
    relative("expected_speed_error", "error of the speed", OF_SPEED, of_expected(lambda e: e.speed_error)),
    relative("expected_points_error", "error of the points", OF_POINTS, of_expected(lambda e: e.points_error)),
    Measure("expected_samples", "reference's samples", SAMPLES, of_expected(lambda e: e.samples)),
    Measure("expected_why", "no expected time", "why there is no expected time", lambda r: expected(r)[1] or None),
)
