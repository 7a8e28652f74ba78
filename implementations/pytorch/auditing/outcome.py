"""What came of final weights that were evaluated again: exit code, and what to say."""

from dataclasses import dataclass

from rules.bands import Reevaluation

from ..task import Evaluation
from .logged import Epoch
from .reevaluation import apart


@dataclass(frozen=True)
class Outcome:
    """What came of a run's weights: exit code, and what to say."""

    code: int
    verdict: str


def judge(logged: Epoch, found: Evaluation, band: Reevaluation | None) -> Outcome:
    """The outcome of an evaluation on the validation split."""
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
    """The outcome of an evaluation on held-out data. `lower`: less is better; `least` is the lower end of the band."""
    better = gain(logged.score, found.value, lower)
    told = f"held-out score {found.value:.6f}, logged {logged.score:.6f} ({better:+.6f}, more is better)"
    if least is None:
        return Outcome(2, f"{told}, and the rules publish no band for this: judge by that")
    verdict = "within the band of honest runs" if better >= least else "lower than honest runs come out"
    return Outcome(0 if better >= least else 1, f"{told}: {verdict}, wanted {least:+.6f} or more")


def gain(logged: float, found: float, lower: bool) -> float:
    """How much better a score is than the logged one; less than 0 where it is worse. `lower`: less is better."""
    return logged - found if lower else found - logged
