"""The accelerator utilization (AU) of a set in words."""

from results.measures.rates import busy_epochs
from results.statistics.result import Result

SHOWN = 10  # epochs


def utilization_words(r: Result) -> str:
    """The mean AU of a set's runs: in all, in the first epoch and in later ones; "" if no log has waiting times."""
    au, first, later, barrier = (r.mean(column) for column in ("au", "au_first", "au_later", "au_barrier"))
    if au is None or first is None:
        return ""
    after = "" if later is None else f", {100 * later:.1f} % in later ones"
    slowest = "not logged" if barrier is None else f"{100 * barrier:.1f} %"
    return f"{100 * au:.1f} % ({100 * first:.1f} % in the first epoch{after}); with the barrier {slowest}"


def epochs_words(r: Result) -> str:
    """The AU of the first SHOWN epochs: "1: 91.0 %, 2: 99.9 %"; "" if no log has waiting times."""
    found = list(busy_epochs(r).items())
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(f"{epoch}: {100 * au:.1f} %" for epoch, au in found[:SHOWN]) + more
