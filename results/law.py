"""What the rules say that a score depends on: the target, and the number of runs. The only door to `rules`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchmark.config import read_yaml
from benchmark.log import ROOT
from results.run import Run, number
from results.submission import SetId


@dataclass(frozen=True)
class Law:
    """`runs`: how many the rules want; `target`: of the metric. None where the rules are silent."""

    runs: int | None = None
    target: float | None = None
    higher_is_better: bool | None = None


@lru_cache(maxsize=64)
def limits(edition: str) -> dict[str, Any]:
    try:
        return read_yaml(ROOT / "rules" / edition / "limits.yaml")
    except ValueError:
        return {}


def required_runs(id: SetId) -> int | None:
    """How many runs a set of this name needs for a score; None where no rule is known."""
    return limits(id.edition).get("benchmarks", {}).get(id.benchmark, {}).get("runs")


def law(id: SetId, problem: str | None, run: Run) -> Law:
    """What a run of a set of this name is held against."""
    target = limits(id.edition).get("problems", {}).get(problem, {}).get("target")
    if target is None:
        target = number(run.value("target"))
    return Law(required_runs(id), target)
