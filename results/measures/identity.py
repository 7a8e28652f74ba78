"""Measures that say which set it is, on what, and how it was judged."""

from results.measures.measure import Measure, described, one


def rank_text(rank: tuple[int, int] | None) -> str | None:
    """A range of ranks: "2", "2-4", None without rank."""
    if rank is None:
        return None
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}-{rank[1]}"


IDENTITY = (
    Measure("edition", "edition", "the edition of the rules that the set was checked by", lambda r: r.group[0]),
    Measure("benchmark", "benchmark", "the benchmark's folder", lambda r: r.group[1]),
    Measure("problem", "problem", "the problem, as logged", lambda r: r.group[2]),
    Measure(
        "scaling",
        "scaling",
        "strong: one model on all units; weak: a throughput set, many models at once",
        lambda r: r.group[3],
    ),
    Measure(
        "kind",
        "kind",
        "capability: one model on all units; capacity: many at once, each on one; hybrid: many, each split",
        lambda r: None if r.throughput_only else r.kind or None,
    ),
    Measure("division", "division", "closed or open", lambda r: r.group[4]),
    Measure("category", "category", "onprem, cloud, research ...", lambda r: r.category),
    Measure(
        "rank",
        "rank",
        "place in its edition, benchmark, problem, scaling and division; a range among sets that can't be told apart: "
        "Yuen and Welch's test of each pair's ratio, corrected for all pairs by Holm, or runs that separate",
        lambda r: rank_text(r.rank),
    ),
    Measure("org", "org", "the organisation's folder", lambda r: r.org),
    Measure("system", "system", "the system's folder", lambda r: r.system),
    Measure(
        "processor",
        "processor",
        "the model of the nodes' processors, as described",
        described("host_processor_model_name"),
    ),
    Measure(
        "processors_per_node",
        "processors a node",
        "processors of a node, as described",
        described("host_processors_per_node"),
    ),
    Measure(
        "accelerator", "accelerator", "the model of accelerators, as described", described("accelerator_model_name")
    ),
    Measure(
        "accelerators_per_node",
        "accelerators a node",
        "accelerators of a node, as logged or else as described",
        one("accelerators_per_node"),
    ),
    Measure("software", "software", "the framework and its version, as described", described("framework")),
    Measure(
        "verdict",
        "verdict",
        "clean, review (findings that a person must judge), errors, and how many are waived",
        lambda r: r.standing.word,
    ),
    Measure(
        "errors",
        "errors",
        "errors that the checker found and no waiver covers, without those in pruned logs",
        lambda r: len(r.standing.errors),
    ),
    Measure(
        "reviews",
        "reviews",
        "findings that a person must judge, and no waiver covers",
        lambda r: len(r.standing.reviews),
    ),
    Measure(
        "waived",
        "waived",
        "errors, and findings for a person to judge, that a waiver covers",
        lambda r: len(r.standing.waived),
    ),
    Measure(
        "reviewed",
        "reviewed",
        "points that people must judge of its submission: how many reviewers accepted, and their objections",
        lambda r: r.judged.reviewed or None,
    ),
    Measure("why", "no score", "why there is no score, if there is none", lambda r: r.why),
    Measure(
        "as_logged_seconds",
        "FOM as logged",
        "the figure of merit that a set without score would have if its errors were none",
        lambda r: r.score.fom if r.why and r.standing.errors and not r.weak else None,
        "s",
    ),
    Measure(
        "as_logged_place",
        "place as logged",
        "the place that it would have among the sets with a rank",
        lambda r: r.would_stand[0] if r.would_stand else None,
    ),
)
