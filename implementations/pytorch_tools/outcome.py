"""Judge final weights that were evaluated again."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from harness.auditing.logged import Epoch
from implementations.pytorch.task import Evaluation
from implementations.pytorch_tools.reevaluation import apart
from rules.bands import HeldOut, Reevaluation


@dataclass(frozen=True)
class Outcome:
    """The outcome for a run's weights: exit code and verdict. `gain` is the gain on held-out data, else None."""

    code: int
    verdict: str
    gain: float | None = None


def judge(logged: Epoch, found: Evaluation, band: Reevaluation | None) -> Outcome:
    """Judge an evaluation on the validation split."""
    distance = apart(logged, found)
    if distance.exact:
        return Outcome(0, f"the logged counts to the last digit, score {found.value:.6f}")
    told = f"score {found.value:.6f}, logged {logged.score:.6f}; a count differs by {distance.counts:.2%}"
    if band is None:
        return Outcome(2, f"{told}, and the rules publish no band for this problem: judge by that")
    within = distance.counts <= band.counts and distance.score <= band.score
    verdict = "within the band of honest re-evaluations" if within else "not the weights that scored"
    limits = f"wanted at most {band.score:g} in the score, {band.counts:.2%} in a count"
    return Outcome(0 if within else 1, f"{told}: {verdict}, {limits}")


def judge_held_out(logged: Epoch, found: Evaluation, lower: bool, least: float | None) -> Outcome:
    """Judge an evaluation on held-out data. `lower`: a lower score is better. `least` is the lower end of the band."""
    better = gain(logged.score, found.value, lower)
    told = f"held-out score {found.value:.6f}, logged {logged.score:.6f} ({better:+.6f}, more is better)"
    if least is None:
        return Outcome(2, f"{told}, and the rules publish no band for this: judge by that", better)
    verdict = "within the band of honest runs" if better >= least else "lower than honest runs come out"
    return Outcome(0 if better >= least else 1, f"{told}: {verdict}, wanted {least:+.6f} or more", better)


def judge_together(gains: Sequence[float], band: HeldOut, deviations: float) -> Outcome:
    """Judge the mean gain of a set of 2 or more runs, on the same data as the honest runs."""
    mean = fmean(gains)
    least = band.mean - deviations * band.spread * math.sqrt(1 / len(gains) + 1 / band.runs)
    told = f"{len(gains)} runs together, {mean:+.6f} on average, {band.runs} honest ones {band.mean:+.6f}"
    verdict = "as honest sets come out" if mean >= least else "lower than honest sets come out"
    return Outcome(0 if mean >= least else 1, f"{told}: {verdict}, wanted {least:+.6f} or more", mean)


def gain(logged: float, found: float, lower: bool) -> float:
    """Return how much better a score is than the logged one; negative if worse. `lower`: a lower score is better."""
    return logged - found if lower else found - logged
