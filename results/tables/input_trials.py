"""Trials of the input: a row for every format at a place that a log of `train.py --io-only` tried. No run: no figure of
merit, no rank. docs/io.md says what each number means."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compliance.reading.trials import Tried
from results.statistics.result import Result
from results.tables.formatting import show

HEAD = ("org", "system", "ranks", "emulate", "format", "place", "samples/s", "AU %", "AU without reads %")
HEAD = (*HEAD, "AU by waiting %", "AU with the barrier %", "MB/s decoded", "read", "device", "p99 wait ms", "longest")
HEAD = (*HEAD, "cache", "errors", "log")


@dataclass(frozen=True)
class InputTrial:
    """A format at a place. `ranks` is None where the log doesn't say; `errors` are how many the checker found in it."""

    org: str
    system: str
    ranks: float | None
    errors: int
    log: str
    tried: Tried

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """From samples a second to the longest wait, in the order and the units of the head."""
        t = self.tried
        shares = (None if s is None else 100 * s for s in (t.au, t.ceiling, t.au_waiting, t.au_barrier))
        waits = (None if s is None else 1000 * s for s in (t.p99, t.longest))
        return t.rate, *shares, *map(t.speed, (t.logical, t.read, t.physical)), *waits


def input_trials(results: Iterable[Result]) -> list[InputTrial]:
    """Of sets without runs, by system and log, in the order of the logs."""
    found = (one for r in results if r.throughput_only for one in _of(r))
    return sorted(found, key=lambda t: (t.org, t.system, t.log, t.tried.line))


def _of(r: Result) -> Iterator[InputTrial]:
    for run, row in zip(r.runs, r.rows, strict=True):
        for tried in run.trials:
            yield InputTrial(r.org, r.system, run.value("number_of_ranks"), row.errors, row.log, tried)


def trial_cells(results: Iterable[Result]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of trials."""
    return list(HEAD), [
        [
            *(t.org, t.system, ranks_text(t.ranks), t.tried.emulate, t.tried.format, t.tried.place),
            *map(show, t.numbers),
            *(t.tried.cache, str(t.errors), t.log.rpartition("/")[2]),
        ]
        for t in input_trials(results)
    ]


def ranks_text(ranks: object) -> str:
    """A count, "-" where a log has another thing in its place."""
    return str(ranks) if type(ranks) is int and 0 < ranks < 1 << 31 else "-"


SIDES = ("samples/s", "AU %", "AU without reads %", "AU by waiting %", "AU with the barrier %")
SIDES = (*SIDES, "MB/s decoded", "read MB/s", "device MB/s", "p99 wait ms", "longest wait ms")


def trial_differences(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    """(format, place, emulation and measure, its value for each set), of trials that any of the sets has. Several of
    one kind in a set are shown one after another."""
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
