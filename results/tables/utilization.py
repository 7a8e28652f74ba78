"""Accelerator utilization of a set in words."""

from results.statistics.result import Result
from results.statistics.utilization import by_epoch

SHOWN = 10  # epochs


def busy_epochs(r: Result) -> dict[int, float]:
    """AU by epoch, the mean over the runs that count."""
    return by_epoch(run for run, used in zip(r.runs, r.mask, strict=True) if used)


def utilization_words(r: Result, name: str = "accelerator utilization ") -> str:
    """AU of a set: of a run, of its first epoch and of the later ones; "" where no log says how long it waited."""
    au, first, later, barrier = (r.mean(column) for column in ("au", "au_first", "au_later", "au_barrier"))
    if au is None or first is None:
        return ""
    after = "" if later is None else f", {100 * later:.1f} % in later ones"
    slowest = "not logged" if barrier is None else f"{100 * barrier:.1f} %"
    return f"{name}{100 * au:.1f} % ({100 * first:.1f} % in the first epoch{after}); with the barrier {slowest}"


def epochs_words(r: Result) -> str:
    """AU by epoch, of the first few: "1: 91.0 %, 2: 99.9 %"; "" where no log says."""
    found = list(busy_epochs(r).items())
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(f"{epoch}: {100 * au:.1f} %" for epoch, au in found[:SHOWN]) + more
