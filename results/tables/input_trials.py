"""The table of input trials (`io_trial.py`): a row for each format and place that a log tried.

A trial is no run: it has no figure of merit and no rank. docs/io.md says what each number means.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compliance.reading.trials import Tried
from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number
from results.tables.formatting import show
from results.tables.links import Links

NUMBERS: tuple[str, ...] = (
    "samples/s",
    "AU %",
    "AU without reads %",
    "AU by waiting %",
    "AU with the barrier %",
    "MB/s decoded",
)
NUMBERS = (*NUMBERS, "read MB/s", "device MB/s", "p99 wait ms", "longest wait ms", "over memory", "staging MB/s")
HEAD = ("system", "ranks", "emulate", "format", "place", *NUMBERS, "cache", "verdict", "errors", "log")


@dataclass(frozen=True)
class InputTrial:
    """One format at one place. `ranks` is as logged, None if it is not; `errors` counts the checker's errors in the
    log."""

    org: str
    system: str
    ranks: float | None
    errors: int
    log: str
    tried: Tried

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The columns from samples/s to staging, under NUMBERS."""
        t = self.tried
        shares = (None if s is None else 100 * s for s in (t.au, t.ceiling, t.au_waiting, t.au_barrier))
        waits = (None if s is None else 1000 * s for s in (t.p99, t.longest))
        staging = None if t.staging is None else t.staging / 1e6
        return t.rate, *shares, *map(t.speed, (t.logical, t.read, t.physical)), *waits, t.over_memory, staging


def input_trials(results: Iterable[Result]) -> list[InputTrial]:
    """The input trials of all results, by system, log and line."""
    found = (one for r in results if r.throughput_only for one in _of(r))
    return sorted(found, key=lambda t: (t.org, t.system, t.log, t.tried.line))


def _of(r: Result) -> Iterator[InputTrial]:
    for run, row in zip(r.runs, r.rows, strict=True):
        for tried in run.trials:
            yield InputTrial(r.org, r.system, run.value("number_of_ranks"), row.errors, row.log, tried)


def trial_table(results: Iterable[Result], links: Links) -> Table | None:
    """The table of input trials; None without any."""
    lines = [trial_line(trial, links) for trial in input_trials(results)]
    return Table(HEAD, lines, cards=True) if lines else None


def trial_line(trial: InputTrial, links: Links) -> Line:
    """The row of an input trial under HEAD."""
    t = trial.tried
    return Line(
        [
            Cell(trial.system, below=trial.org),
            Cell(ranks_text(trial.ranks)),
            *map(Cell, (t.emulate, t.format, t.place)),
            *(number(value, title=links.place(trial.log, t.line)) for value in trial.numbers),
            *map(Cell, (t.cache, t.verdict)),
            number(trial.errors),
            Cell(trial.log.rpartition("/")[2], href=links.to(trial.log)),
        ]
    )


def ranks_text(ranks: object) -> str:
    """The number of ranks, "-" if the log has none or something else."""
    return str(ranks) if type(ranks) is int and 0 < ranks < 1 << 31 else "-"


def trial_differences(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    """("format, place, emulation: measure", its value in each set) for each kind of trial that any set has. Several
    trials of a kind in one set are separated by commas."""
    found: list[dict[tuple[str, str, str], list[InputTrial]]] = []
    for r in results:
        found.append({})
        for t in input_trials([r]):
            found[-1].setdefault((t.tried.format, t.tried.place, t.tried.emulate), []).append(t)
    kinds = dict.fromkeys(kind for of in found for kind in of)
    rows = []
    for kind in kinds:
        columns = [[t.numbers for t in of.get(kind, [])] for of in found]
        for i, name in enumerate(NUMBERS):
            values = [", ".join(show(numbers[i]) for numbers in column) or "-" for column in columns]
            rows.append((f"{', '.join(kind)}: {name}", values))
    return rows
