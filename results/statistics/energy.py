"""The energy of a set of runs: to the target, per sample, and as mean power. Sets that were measured in different ways
are not compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from results.runs.columns import Row
from results.runs.row import product, ratio
from results.statistics.contrast import Contrast, contrast
from results.statistics.score import TrimmedMean, trimmed_mean

WORDS = {
    "meter": "meter",
    "node": "node counters",
    "component": "component counters (informative)",
    "rehearsal": "rehearsal (no measurement)",
}


@dataclass(frozen=True)
class SetEnergy:
    """The energy of a set's runs, all measured in one way (`tier`).

    `joules` is trimmed like the figure of merit, with its interval; in a throughput set it is the mean of the models,
    without interval. `runs` are the joules of each run, infinite if it did not converge. `watts` is the mean power.
    `trained` and `evaluated` are joules per sample, None if unknown. `step` is the joules between evaluations, 0 if
    unknown.
    """

    tier: str
    joules: TrimmedMean
    runs: tuple[float, ...]
    watts: float
    trained: float | None
    evaluated: float | None
    step: float

    @property
    def words(self) -> str:
        """The way of measuring, in words."""
        return WORDS[self.tier]


def energy(rows: Sequence[Row], mask: Sequence[bool], step: float = 0.0, weak: bool = False) -> SetEnergy | None:
    """The energy of a set; None unless every converged run was measured, and all in one way.

    `mask` says which runs the figure of merit averages (in a throughput set, `weak`: which models converged). `step` is
    the seconds between evaluations, 0 if unknown: at the mean power it gives the least deviation of energies, as of
    times.
    """
    converged = [row for row in rows if row.converged]
    tiers = {row.energy_tier or "" for row in converged}
    measured = all(row.joules is not None and row.joules > 0 for row in converged)
    if len(tiers) != 1 or tiers.isdisjoint(WORDS) or not any(mask) or not measured:
        return None
    runs = tuple(row.joules or math.nan if row.converged else math.inf for row in rows)
    used = [row for row, counts in zip(rows, mask, strict=True) if counts]
    joules = [j for j, counts in zip(runs, mask, strict=True) if counts]
    watts = fmean([1000 * j / row.total_ms for j, row in zip(joules, used, strict=True) if row.total_ms])
    found = trimmed_mean(runs, step * watts) if not weak else None
    found = found or TrimmedMean(len(used), 0, fmean(joules))
    evaluated = [(row.evaluation_joules, product(row.eval_samples, row.evaluations)) for row in used]
    trained = a_sample([(row.training_joules, row.trained) for row in used])
    return SetEnergy(tiers.pop(), found, runs, watts, trained, a_sample(evaluated), step * watts)


def a_sample(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """The mean of joules / samples over runs, given as (joules, samples); None if a number is unknown."""
    known = [each for joules, samples in pairs if (each := ratio(joules, samples)) is not None]
    return fmean(known) if known and len(known) == len(pairs) else None


def against(a: SetEnergy | None, b: SetEnergy | None, together: int = 1) -> Contrast | None:
    """The ratio of two sets' energies, one of `together` ratios that are shown side by side. None if a set has no
    energy, if the two were measured in different ways, or in a rehearsal."""
    if a is None or b is None or a.tier != b.tier or a.tier == "rehearsal":
        return None
    return contrast(a.runs, b.runs, (a.step, b.step), together)
