"""The energy of a set of runs: to the target, by sample, and as mean power. Sets that were measured in different ways
have no common ranking and no ratio."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from results.statistics.contrast import Contrast, contrast
from results.statistics.score import TrimmedMean, mean, trimmed_mean
from results.tables.columns import Row

WORDS = {
    "meter": "meter",
    "node": "node counters",
    "component": "component counters (informative)",
    "rehearsal": "rehearsal (no measurement)",
}


@dataclass(frozen=True)
class SetEnergy:
    """The energy of a set's runs, all measured by one `tier`. `joules` is trimmed as the figure of merit is, with its
    interval; a weak set's is the mean of its models, without one. `runs` are the joules of each run, infinite where it
    didn't converge. `watts` is the mean power; `trained` and `evaluated` are joules a sample, None where unknown."""

    tier: str
    joules: TrimmedMean
    runs: tuple[float, ...]
    watts: float
    trained: float | None
    evaluated: float | None

    @property
    def words(self) -> str:
        """What measured it."""
        return WORDS[self.tier]


def energy(rows: Sequence[Row], mask: Sequence[bool]) -> SetEnergy | None:
    """The energy of runs, of which `mask` tells those that the figure of merit averages (in a weak set all that
    converged). None unless every converged run was measured, and all in one way."""
    converged = [row for row in rows if row.converged]
    tiers = {row.energy_tier for row in converged}
    if len(tiers) != 1 or not tiers <= WORDS.keys() or not any(mask) or not all(positive(r.joules) for r in converged):
        return None
    runs = tuple(row.joules if row.converged else math.inf for row in rows)
    used = [row for row, counts in zip(rows, mask, strict=True) if counts]
    found = trimmed_mean(runs) if used[0].scaling != "weak" else None
    found = found or TrimmedMean(len(used), 0, mean([row.joules for row in used]))
    watts = mean([1000 * row.joules / row.total_ms for row in used])
    evaluated = [(row.evaluation_joules, times(row.eval_samples, row.evaluations)) for row in used]
    trained = a_sample([(row.training_joules, row.trained) for row in used])
    return SetEnergy(tiers.pop(), found, runs, watts, trained, a_sample(evaluated))


def positive(value: float | None) -> bool:
    return value is not None and value > 0


def times(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a * b


def a_sample(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """The mean of joules over samples; None where one is unknown."""
    known = [(joules, samples) for joules, samples in pairs if joules is not None and positive(samples)]
    return mean([j / n for j, n in known]) if known and len(known) == len(pairs) else None


def against(a: SetEnergy | None, b: SetEnergy | None, together: int = 1) -> Contrast | None:
    """The ratio of two sets' energies, of so many that are shown side by side; None where a set has none, or what
    measured them differs, or a stand-in did."""
    if a is None or b is None or a.tier != b.tier or a.tier == "rehearsal":
        return None
    return contrast(a.runs, b.runs, together=together)
