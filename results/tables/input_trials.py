"""The table of input trials (`io_trial.py`): a row for each format and place that a log tried.

A trial is no run: it has no figure of merit and no rank. docs/io.md says what each number means.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compliance.reading.trials import Tried
from results.statistics.result import Result
from results.tables.formatting import show

HEAD: tuple[str, ...] = (
    "org",
    "system",
    "ranks",
    "emulate",
    "format",
    "place",
    "samples/s",
    "AU %",
    "AU without reads %",
)
HEAD = (*HEAD, "AU by waiting %", "AU with the barrier %", "MB/s decoded", "read", "device", "p99 wait ms", "longest")
HEAD = (*HEAD, "over memory", "staging MB/s", "cache", "verdict", "errors", "log")


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
        """The columns from samples/s to staging, in the units of HEAD."""
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


def trial_cells(results: Iterable[Result]) -> tuple[list[str], list[list[str]]]:
    """(head, rows) of the table of trials."""
    return list(HEAD), [
        [
            *(t.org, t.system, ranks_text(t.ranks), t.tried.emulate, t.tried.format, t.tried.place),
            *map(show, t.numbers),
            *(t.tried.cache, t.tried.verdict, str(t.errors), t.log.rpartition("/")[2]),
        ]
        for t in input_trials(results)
    ]


def ranks_text(ranks: object) -> str:
    """The number of ranks, "-" if the log has none or something else."""
    return str(ranks) if type(ranks) is int and 0 < ranks < 1 << 31 else "-"


SIDES: tuple[str, ...] = ("samples/s", "AU %", "AU without reads %", "AU by waiting %", "AU with the barrier %")
SIDES = (*SIDES, "MB/s decoded", "read MB/s", "device MB/s", "p99 wait ms", "longest wait ms", "over memory")
SIDES = (*SIDES, "staging MB/s")


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
        for i, name in enumerate(SIDES):
            values = [", ".join(show(numbers[i]) for numbers in column) or "-" for column in columns]
            rows.append((f"{', '.join(kind)}: {name}", values))
    return rows
