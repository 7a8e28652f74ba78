"""Whether a run's kernels are compiled, as its configuration asks for: said aloud where they are not, and logged."""

import sys

from ..parallel.layout import Layout
from .events import RunLog
from .stop import Aborted


def log_compiled(log: RunLog, layout: Layout, compiled: bool) -> None:
    """Log whether all ranks could compile theirs. A run that could not is slower than one of the same set that could:
    the checker tells the two apart (RUN07). Raises Aborted on all ranks where only some could."""
    ranks = layout.gather(compiled)
    if failed := [rank for rank, able in enumerate(ranks) if not able]:
        if len(failed) < len(ranks):
            names = ", ".join(map(str, failed))
            raise Aborted(f"compile: found kernels that ranks {names} could not compile, wanted all or none of them")
        if layout.rank == 0:
            why = "this run can't be in one set with runs whose kernels are (with compile=false none has any)"
            print(f"train.py: kernels are not compiled: {why}", file=sys.stderr)
    log.event("compiled", not failed)
