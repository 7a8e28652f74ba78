"""A measure of a set of runs, and the ways in which one follows from a result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from results.statistics.expected import expected
from results.statistics.result import Result

Get = Callable[[Result], Any]  # None where a set has no such value
Part = TypeVar("Part")


@dataclass(frozen=True)
class Measure:
    """A measure: its name in CSV and JSON, its heading in tables, a sentence, its unit ("" for words and plain
    numbers), and how it follows from a result. `error` gives its standard deviation between runs, which tables show,
    and `half` half the width of its interval. Its digits are those that the one or the other needs; `decimals` fixes
    them instead."""

    name: str
    heading: str
    meaning: str
    get: Get
    unit: str = ""
    error: Get | None = None
    half: Get | None = None
    decimals: int | None = None
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


def averaged(
    name: str, heading: str, meaning: str, column: str = "", unit: str = "", share: bool = False, per: float = 1
) -> Measure:
    """The mean of a column of the runs that the figure of merit averages (in a throughput set, of all models), with its
    sample standard deviation, both over `per`. The column has the measure's name unless it is given."""
    of = column or name
    mean, error = (lambda r: over(r.mean(of), per)), (lambda r: over(r.deviation(of), per))
    return Measure(name, heading, meaning, mean, unit, error, share=share)


def with_deviation(measure: Measure, meaning: str = "its deviation", name: str = "") -> tuple[Measure, Measure]:
    """A measure, and its deviation as a measure of its own, named `<measure>_deviation` unless `name` is given."""
    get = measure.error or measure.get
    return measure, Measure(name or f"{measure.name}_deviation", "±", meaning, get, measure.unit)


def one(column: str) -> Get:
    """What all runs share."""
    return lambda r: r.one(column)


def described(name: str, heading: str, field: str) -> Measure:
    """A field of the system description, as text; None where it says nothing."""

    def get(r: Result) -> str | None:
        said = r.judged.description.get(field)
        return None if said in (None, "") else str(said)[:200]

    return Measure(name, heading, f"{heading}, as described", get)


def of(part: Callable[[Result], Part | None]) -> Callable[[Callable[[Part], Any]], Get]:
    """What follows from a part of a result; None where a set has no such part."""
    return lambda get: lambda r: None if (found := part(r)) is None else get(found)


of_merit = of(lambda r: None if r.fom is None else r.score.trimmed)
of_spread = of(lambda r: r.spread)  # of the converged runs
of_energy = of(lambda r: r.energy)
of_expected = of(lambda r: expected(r)[0])
of_throughput = of(lambda r: r.throughput)


def seconds_of(part: str, meaning: str) -> Measure:
    """The mean seconds of a part of a run."""
    return averaged(f"{part}_seconds", part, meaning, f"{part}_ms", "s", per=1000)
