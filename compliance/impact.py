"""What a finding does to the score, where that is known: the score of the set as logged, and without the run."""

import math
from dataclasses import replace

from benchmark.tree import THROUGHPUT
from compliance.finding import Finding
from compliance.verdict import NOT_CONVERGED, SetVerdict, Verdict
from rules.edition import Edition


def score(seconds: list[float]) -> float | None:
    """Mean of the runs but the fastest and the slowest k = max(1, ceil(n / 10)); infinite runs did not converge.
    None where there's no score. (DESIGN, figure of merit.)"""
    k = max(1, math.ceil(len(seconds) / 10))
    kept = sorted(seconds)[k : len(seconds) - k]
    return sum(kept) / len(kept) if kept and math.isfinite(kept[-1]) else None


def with_impact(verdict: Verdict, editions: dict[str, Edition]) -> tuple[Finding, ...]:
    """The verdict's findings; errors in a run of a complete set say what becomes of the score without that run."""
    impacts: dict[str, str] = {}
    for runs in verdict.all_sets:
        impacts.update(_impacts(runs, editions[runs.edition]))
    return tuple(
        replace(f, impact=impacts[f.path])
        if f.path in impacts and (f.severity == "error" or f.code == NOT_CONVERGED)
        else f
        for f in verdict.findings
    )


def _impacts(runs: SetVerdict, edition: Edition) -> dict[str, str]:
    benchmark = edition.benchmarks.get(runs.benchmark)
    logs = [log for log in runs.logs if not log.facts.pruned]
    timed = runs.scaling not in ("weak", THROUGHPUT) and not any(log.facts.throughput_only for log in logs)
    if benchmark is None or not timed or len(logs) != benchmark.runs:
        return {}
    times = [log.facts.seconds if log.facts.seconds and log.facts.seconds > 0 else math.inf for log in logs]
    counted = [s if log.facts.converged else math.inf for s, log in zip(times, logs, strict=True)]
    before = score([s if log.facts.status == "success" else c for s, c, log in zip(times, counted, logs, strict=True)])
    found = {}
    for index, log in enumerate(logs):
        if log.findings:
            without = score([*counted[:index], math.inf, *counted[index + 1 :]])
            found[log.facts.path] = f"score {_show(before)}, {_show(without)} if this run does not count"
    return found


def _show(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:.3f} s"
