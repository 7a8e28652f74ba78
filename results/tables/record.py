"""A result as one flat record, by the schema results/2 of CSV and JSON: every measure, in the registry's order.

A measure without value is empty (CSV) or null (JSON). Numbers are not rounded.
"""

from typing import Any

from results.measures.measure import Measure, over
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.formatting import finite, plus_minus, show, with_error

SCHEMA = "results/2"
COLUMNS = {name: ", ".join(filter(None, (m.meaning, m.unit))) for name, m in MEASURES.items()}


def record(r: Result) -> dict[str, Any]:
    """A result as {measure: value}, all COLUMNS in order."""
    return {name: finite(m.get(r)) for name, m in MEASURES.items()}


def heading(name: str) -> str:
    """The heading of a measure in tables, with its unit; of any other column its name."""
    return MEASURES[name].title if name in MEASURES else name


def shown(m: Measure, r: Result, spread: bool = True) -> str:
    """A measure as every view tells it, with the digits that its error needs; with `spread`, its deviation between
    runs follows."""
    value, unit = m.get(r), m.told[1]
    if isinstance(value, str):
        return value
    value = over(value, unit)
    if m.decimals is not None:
        return show(value, m.decimals)
    deviation, half = (over(get(r), unit) if get else None for get in (m.error, m.half))
    return plus_minus(value, deviation) if spread and deviation else with_error(value, deviation or half)
