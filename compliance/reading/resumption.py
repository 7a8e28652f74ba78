"""Runs that were interrupted and resumed in the same log: remove the events of epochs that were begun and repeated."""

from bisect import bisect_right

from benchmark.log import Event
from compliance.reading.log import Log

BEGUN = (
    "epoch_start", "epoch_stop", "eval_start", "eval_stop", "tracked_stats", "staging_start", "staging_stop",
)  # fmt: skip


def set_aside(log: Log, metric: str) -> None:
    """Remove from the log, before each `resumed`, the events of the epoch that began after the last score, and a
    run_stop with status aborted. Scores and a run_stop with success always stay, so that no outcome can be hidden."""
    resumed = [e.line for e in log.all("resumed")]
    if not resumed:
        return
    scores = [e.line for e in log.all(metric)]

    def stands(event: Event) -> bool:
        """Return whether no interruption follows, or a score comes before it."""
        following = bisect_right(resumed, event.line)
        if following == len(resumed):
            return True
        return bisect_right(scores, event.line) < bisect_right(scores, resumed[following])

    for key in BEGUN:
        log.events[key] = [e for e in log.all(key) if stands(e)]
    log.events["run_stop"] = [e for e in log.all("run_stop") if stands(e) or not _aborted(e)]


def _aborted(event: Event) -> bool:
    return type(event.metadata) is dict and event.metadata.get("status") == "aborted"
