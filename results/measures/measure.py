"""A measure of a set of runs, and the ways in which one follows from a result."""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
    def told(self) -> tuple[str, float]:
        """The unit in which tables tell it, and what that is in its own: percent of a share, kJ of energy."""
        return ("%", 0.01) if self.share else ("kJ", 1000) if self.unit == "J" else (self.unit, 1)

    @property
    def title(self) -> str:
        """Heading and unit."""
        unit = self.told[0]
        return f"{self.heading}, {unit}" if unit else self.heading


def over(value: float | None, divisor: float) -> float | None:
    """The value over a divisor; None for None."""
    return None if value is None else value / divisor


def averaged(name: str, heading: str, meaning: str, column: str, unit: str = "", share: bool = False) -> Measure:
    """The mean of a column of the runs that the figure of merit averages (in a throughput set, of all models), with its
    sample standard deviation."""
    return Measure(name, heading, meaning, lambda r: r.mean(column), unit, lambda r: r.deviation(column), share)


def rate(name: str, heading: str, meaning: str, column: str) -> Measure:
    """The harmonic mean of a column of rates: the rate of the mean time (Farrell et al. 2021, tables 5 and 6). Its
    deviation is the gain from one deviation less time."""
    values = Measure(name, heading, meaning, lambda r: harmonic(r.values(column))[0])
    return replace(values, error=lambda r: harmonic(r.values(column))[1])


def spread_of(name: str, measure: Measure, meaning: str = "its deviation") -> Measure:
    """The deviation of a measure, as a measure of its own."""
    return Measure(name, "±", meaning, measure.error or measure.get, measure.unit)


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
    column = f"{part}_ms"
    found = Measure(f"{part}_seconds", heading, meaning, lambda r: over(r.mean(column), 1000), "s")
    return replace(found, error=lambda r: over(r.deviation(column), 1000))
