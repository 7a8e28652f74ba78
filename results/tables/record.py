"""A result as one flat record, by the schema results/2 of CSV and JSON: every measure, in the registry's order.

A measure without value is empty (CSV) or null (JSON). Numbers are not rounded.
"""

from typing import Any

from results.measures.measure import Measure, over
from results.measures.registry import MEASURES
from results.statistics.result import Result
from results.tables.formatting import finite, plus_minus

SCHEMA = "results/2"
COLUMNS = {name: ", ".join(filter(None, (m.meaning, m.unit))) for name, m in MEASURES.items()}


def record(r: Result) -> dict[str, Any]:
    """A result as {measure: value}, all COLUMNS in order."""
    return {name: finite(m.get(r)) for name, m in MEASURES.items()}


def shown(m: Measure, r: Result) -> str:
    """A measure with its deviation between runs, as tables tell it."""
    value = m.get(r)
    if isinstance(value, str):
        return value
    unit = m.told[1]
    return plus_minus(over(finite(value), unit), over(m.error(r) if m.error else None, unit))
