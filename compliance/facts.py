"""What is kept of a log once it is judged: enough for the rules over sets of runs, and small."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compliance.run import Law, Run, is_number, seed_of
from compliance.timeline import Timeline
from compliance.timeline import field as metadata_field

LONGEST_CURVE = 20_000


@dataclass(frozen=True)
class Facts:
    """One judged log. Times in milliseconds since 1970, `seconds` is the run's time (None where it has none)."""

    path: str  # as findings call it
    file: Path
    number: int | None  # the i of result_<i>.txt
    pruned: bool
    size: int
    benchmark: str
    problem: str | None
    values: dict[str, tuple[int, Any]]  # key -> (line, value): the first of every known key
    seeds: tuple[tuple[int, int], ...]  # (line, seed)
    curve: tuple[tuple[int, float], ...]  # (line, score) inside the run
    start_ms: int | None
    stop_ms: int | None
    stop_line: int
    seconds: float | None
    epochs: int
    resumed: int  # how often it was interrupted and went on
    converged: bool
    status: Any
    throughput_only: bool = False  # no run: it measures steps alone
    codes: frozenset[str] = field(default_factory=frozenset)  # of what was found in the log itself
    lines: frozenset[int] = field(default_factory=frozenset)  # where

    @property
    def set_path(self) -> str:
        """What findings call the folder of its set."""
        folder = self.path.rpartition("/")[0]
        return folder.rpartition("/")[0] if self.pruned else folder

    def value(self, key: str) -> Any:
        """The first value of a key, or None."""
        return self.values[key][1] if key in self.values else None

    def line(self, key: str) -> int:
        """Its line, or 1."""
        return self.values[key][0] if key in self.values else 1


def facts_of(run: Run, law: Law, time: Timeline, file: Path, number: int | None, pruned: bool) -> Facts:
    """The facts of a run that was read."""
    problem = run.value("problem")
    keys = [k for k, key in law.keys.items() if not key.many and k in run.events]
    seeds = ((e.line, seed_of(e.value)) for e in run.all("seed")[:1000])
    return Facts(
        path=run.path,
        file=file,
        number=number,
        pruned=pruned,
        size=run.size,
        benchmark=law.benchmark_name,
        problem=problem if type(problem) is str else None,
        values={k: (run.events[k][0].line, run.events[k][0].value) for k in keys},
        seeds=tuple((line, seed) for line, seed in seeds if seed is not None),
        curve=tuple((s.event.line, s.event.value) for s in time.inside[:LONGEST_CURVE] if is_number(s.event.value)),
        start_ms=_time(time.start),
        stop_ms=_time(time.stop),
        stop_line=time.stop.line if time.stop else run.last_line,
        seconds=time.seconds,
        epochs=len(run.all("epoch_start")),
        resumed=len(run.all("resumed")),
        converged=time.passing is not None,
        status=metadata_field(time.stop, "status") if time.stop else None,
        throughput_only=law.throughput_only,
    )


def _time(event: Any) -> int | None:
    return event.time_ms if event and type(event.time_ms) is int else None
