"""A measure of a set of runs, and the ways in which one follows from a result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from results.statistics.energy import SetEnergy
from results.statistics.expected import Expected, expected
from results.statistics.result import Result
from results.statistics.score import Median, Spread, TrimmedMean, harmonic
from results.statistics.throughput import Throughput

Get = Callable[[Result], Any]  # None where a set has no such value


@dataclass(frozen=True)
class Measure:
    """A measure: its name in CSV and JSON, its heading in tables, a sentence, its unit ("" for words and plain
    numbers), and how it follows from a result. `error` gives its standard deviation between runs, None for no error."""

    name: str
    heading: str
    meaning: str
    get: Get
    unit: str = ""
    error: Get | None = None
    share: bool = False  # from 0 to 1; tables show percent

    @property
    def title(self) -> str:
        """Heading and unit."""
        unit = "%" if self.share else self.unit
        return f"{self.heading}, {unit}" if unit else self.heading


def over(value: float | None, divisor: float) -> float | None:
    """The value over a divisor; None for None."""
    return None if value is None else value / divisor


def mean(column: str, divisor: float = 1) -> Get:
    """The mean of a column of the runs that the figure of merit averages (in a throughput set, of all models)."""
    return lambda r: over(r.mean(column), divisor)


def deviation(column: str, divisor: float = 1) -> Get:
    """The sample standard deviation of such a column."""
    return lambda r: over(r.deviation(column), divisor)


def rate(column: str) -> Get:
    """The harmonic mean of a column of rates: the rate of the mean time (Farrell et al. 2021, tables 5 and 6)."""
    return lambda r: harmonic(r.values(column))[0]


def rate_deviation(column: str) -> Get:
    """The deviation of that mean: the gain from one deviation less time."""
    return lambda r: harmonic(r.values(column))[1]


def one(column: str) -> Get:
    """What all runs share."""
    return lambda r: r.one(column)


def described(field: str) -> Get:
    """What the system description says, as text; None where it says nothing."""
    return lambda r: str(said)[:200] if (said := r.judged.description.get(field)) not in (None, "") else None


def of_merit(get: Callable[[TrimmedMean], Any]) -> Get:
    """What follows from the figure of merit; None without one."""
    return lambda r: None if r.fom is None or r.score.trimmed is None else get(r.score.trimmed)


def of_median(get: Callable[[Median], Any]) -> Get:
    """What follows from the median; None without a figure of merit."""
    return lambda r: None if r.fom is None or r.score.median is None else get(r.score.median)


def of_spread(get: Callable[[Spread], Any]) -> Get:
    """What follows from the spread of the converged runs; None without one."""
    return lambda r: None if r.spread is None else get(r.spread)


def of_energy(get: Callable[[SetEnergy], Any]) -> Get:
    """What follows from a set's energy; None unless every converged run was measured, and all in one way."""
    return lambda r: None if r.energy is None else get(r.energy)


def of_expected(get: Callable[[Expected], Any]) -> Get:
    """What follows from a set's expected time; None without one."""
    return lambda r: None if (found := expected(r)[0]) is None else get(found)


def of_throughput(get: Callable[[Throughput], Any]) -> Get:
    """What follows from a throughput set's score; None for other sets."""
    return lambda r: None if r.throughput is None else get(r.throughput)


def seconds_of(part: str, heading: str, meaning: str) -> Measure:
    """The mean seconds of a part of a run."""
    get, error = mean(f"{part}_ms", 1000), deviation(f"{part}_ms", 1000)
    return Measure(f"{part}_seconds", heading, meaning, get, "s", error)


def spread_of(name: str, heading: str, column: str) -> Measure:
    """The deviation of a mean, as a measure of its own."""
    return Measure(name, heading, "its deviation", deviation(column))
