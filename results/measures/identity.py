"""Measures that say which set it is, on what, and how it was judged."""

from results.measures.measure import Measure, described, one
from results.statistics.result import Result


def rank_text(rank: tuple[int, int] | None) -> str | None:
    """A range of ranks: "2", "2-4", None without rank."""
    if rank is None:
        return None
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}-{rank[1]}"


def kind_of(scaling: str) -> str:
    """What a set is for, in words: only studies of scaling are called weak."""
    return "throughput set" if scaling == "weak" else scaling


def as_logged(r: Result) -> float | None:
    """The figure of merit that errors take away; None without errors."""
    return r.score.fom if r.why and r.standing.errors and not r.weak else None


SCALING = "strong: one model on all devices; weak: a throughput set, many models at once"
RANK = (
    "place in its edition, benchmark, problem, scaling and division; a range among sets that can't be told apart: "
    "Yuen and Welch's test of each pair's ratio, corrected for all pairs by Holm, or runs that separate"
)
VERDICT = "clean, review (findings that a person must judge), errors, and how many are waived"
REVIEWED = "points that people must judge of its submission: how many reviewers accepted, and their objections"
AS_LOGGED = "the figure of merit that a set without score would have if its errors were none"
PLACE = "the place that it would have among the sets with a rank"
ACCELERATORS = "accelerators of a node, as logged or else as described"
ERRORS = "errors that the checker found and no waiver covers, without those in pruned logs"

IDENTITY = (
    Measure("edition", "edition", "the edition of the rules that the set was checked by", lambda r: r.group[0]),
    Measure("benchmark", "benchmark", "the benchmark's folder", lambda r: r.group[1]),
    Measure("problem", "problem", "the problem, as logged", lambda r: r.group[2]),
    Measure("scaling", "scaling", SCALING, lambda r: r.group[3]),
    Measure("division", "division", "closed or open", lambda r: r.group[4]),
    Measure("category", "category", "onprem, cloud, research ...", lambda r: r.category),
    Measure("rank", "rank", RANK, lambda r: rank_text(r.rank)),
    Measure("org", "org", "the organisation's folder", lambda r: r.org),
    Measure("system", "system", "the system's folder", lambda r: r.system),
    described("processor", "processor", "host_processor_model_name"),
    described("processors_per_node", "processors a node", "host_processors_per_node"),
    described("accelerator", "accelerator", "accelerator_model_name"),
    Measure("accelerators_per_node", "accelerators a node", ACCELERATORS, one("accelerators_per_node")),
    described("software", "software", "framework"),
    Measure("verdict", "verdict", VERDICT, lambda r: r.standing.word),
    Measure("errors", "errors", ERRORS, lambda r: len(r.standing.errors)),
    Measure("reviews", "reviews", "findings for a person that no waiver covers", lambda r: len(r.standing.reviews)),
    Measure(
        "waived", "waived", "errors and findings for a person that a waiver covers", lambda r: len(r.standing.waived)
    ),
    Measure("reviewed", "reviewed", REVIEWED, lambda r: r.judged.reviewed or None),
    Measure("why", "no score", "why there is no score, if there is none", lambda r: r.why),
    Measure("as_logged_seconds", "figure of merit as logged", AS_LOGGED, as_logged, "s"),
    Measure("as_logged_place", "place as logged", PLACE, lambda r: r.would_stand[0] if r.would_stand else None),
)
