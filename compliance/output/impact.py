"""The effect of a finding on the figure of merit: the score as logged, and the score without the run."""

import math
from dataclasses import replace

from benchmark.tree import THROUGHPUT
from compliance.finding import OF_ALL, Finding, errors
from compliance.verdict import NOT_CONVERGED, SetVerdict, Verdict
from rules.edition import Edition
from rules.merit import figure_of_merit


def with_impact(verdict: Verdict, editions: dict[str, Edition]) -> tuple[Finding, ...]:
    """Return the verdict's findings. Each error in a run of a complete set, but not in all of its logs, gets the score
    with and without the run, if these differ, and if the set has a run without an error."""
    impacts: dict[str, str] = {}
    for runs in verdict.all_sets:
        impacts.update(_impacts(runs, editions[runs.edition]))
    return tuple(
        replace(f, impact=impacts[f.path])
        if f.path in impacts and (f.severity == "error" or f.code == NOT_CONVERGED) and not OF_ALL.search(f.found)
        else f
        for f in verdict.findings
    )


def _impacts(runs: SetVerdict, edition: Edition) -> dict[str, str]:
    benchmark = edition.benchmarks.get(runs.benchmark)
    logs = [log for log in runs.logs if not log.run.pruned]
    timed = runs.scaling not in ("weak", THROUGHPUT) and not any(log.run.throughput_only for log in logs)
    if benchmark is None or not timed or len(logs) != benchmark.runs or all(errors(log.findings) for log in logs):
        return {}
    times = [log.run.seconds if log.run.converged and log.run.seconds else math.inf for log in logs]
    before = figure_of_merit(times)
    found = {}
    for index, log in enumerate(logs):
        without = figure_of_merit([*times[:index], math.inf, *times[index + 1 :]])
        if log.findings and before != without:
            found[log.run.path] = (
                f"score as logged {_show(before)}; {_show(without)} if reviewers count this run as failed"
            )
    return found


def _show(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:.3f} s"
