"""The table of input trials (`io_trial.py`): a row for each format and place that a log tried.

A trial is no run: it has no figure of merit and no rank. docs/io.md says what each number means.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from compliance.reading.trials import Tried
from results.measures.measure import over
from results.runs.columns import Row
from results.statistics.result import Result
from results.tables.cells import Cell, Table, number, table_of
from results.tables.formatting import show
from results.tables.links import Links

NUMBERS: dict[str, Callable[[Tried], float | None]] = {
    "samples read a second": lambda t: t.rate,
    "AU %": lambda t: over(t.au, 0.01),
    "AU without reads %": lambda t: over(t.ceiling, 0.01),
    "AU by waiting %": lambda t: over(t.au_waiting, 0.01),
    "AU with the barrier %": lambda t: over(t.au_barrier, 0.01),
    "MB/s decoded": lambda t: t.speed(t.logical),
    "read MB/s": lambda t: t.speed(t.read),
    "device MB/s": lambda t: t.speed(t.physical),
    "p99 wait ms": lambda t: over(t.p99, 0.001),
    "longest wait ms": lambda t: over(t.longest, 0.001),
    "over memory": lambda t: t.over_memory,
    "staging MB/s": lambda t: over(t.staging, 1e6),
}


@dataclass(frozen=True)
class InputTrial:
    """One format at one place, that a log of a set tried."""

    of: Result
    row: Row
    tried: Tried

    @property
    def ranks(self) -> str:
        """The number of ranks, "-" if the log has none or something else."""
        ranks = self.row.run.value("number_of_ranks")
        return str(ranks) if type(ranks) is int and 0 < ranks < 1 << 31 else "-"


def input_trials(results: Iterable[Result]) -> list[InputTrial]:
    """The input trials of all results, by system, log and line."""
    found = [
        InputTrial(r, row, tried) for r in results if r.throughput_only for row in r.rows for tried in row.run.trials
    ]
    return sorted(found, key=lambda t: (t.of.org, t.of.system, t.row.run.path, t.tried.line))


def trial_table(results: Iterable[Result], links: Links) -> Table | None:
    """The table of input trials; None without any. Hovering over a number shows the line of the log."""
    found = input_trials(results)

    def numeric(get: Callable[[Tried], float | None]) -> Callable[[InputTrial], Cell]:
        return lambda t: number(get(t.tried), title=links.place(t.row.run.file, t.tried.line))

    columns: dict[str, Callable[[InputTrial], Cell]] = {
        "system": lambda t: Cell(t.of.system, below=t.of.org),
        "ranks": lambda t: Cell(t.ranks),
        "emulate": lambda t: Cell(t.tried.emulate),
        "format": lambda t: Cell(t.tried.format),
        "place": lambda t: Cell(t.tried.place),
        **{name: numeric(get) for name, get in NUMBERS.items()},
        "cache": lambda t: Cell(t.tried.cache),
        "verdict": lambda t: Cell(t.tried.verdict),
        "errors": lambda t: number(t.row.errors),
        "log": lambda t: Cell(t.row.run.file.name, href=links.to(t.row.run.file)),
    }
    return table_of(columns, found) if found else None


def trial_differences(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    """("format, place, emulation: measure", its value in each set) for each kind of trial that any set has. Several
    trials of a kind in one set are separated by commas."""
    found: list[dict[tuple[str, str, str], list[InputTrial]]] = []
    for r in results:
        found.append({})
        for t in input_trials([r]):
            found[-1].setdefault((t.tried.format, t.tried.place, t.tried.emulate), []).append(t)
    return [
        (f"{', '.join(kind)}: {name}", [", ".join(show(get(t.tried)) for t in of.get(kind, [])) or "-" for of in found])
        for kind in dict.fromkeys(kind for of in found for kind in of)
        for name, get in NUMBERS.items()
    ]
