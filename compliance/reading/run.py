"""A run: all that the checks over sets, and the results, know of one log.

It is small, so that a round of a hundred thousand logs fits into memory.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmark.environment.manifest import KEY as ENVIRONMENT
from benchmark.log import Event
from compliance.reading.digest import Named
from compliance.reading.energy import Coverage, Energy, coverage_of, energy_of
from compliance.reading.environment import named as manifests
from compliance.reading.log import Log, size_of, times_of
from compliance.reading.power import WATTS, Reach, metered, own_readings, reach_of
from compliance.reading.series import (
    MOST,
    Evaluation,
    Evaluations,
    Numbers,
    Row,
    Span,
    Spans,
    Waits,
    figures_of,
    numbers_of,
    waits_of,
)
from compliance.reading.terms import Terms
from compliance.reading.timeline import Timeline, metadata
from compliance.reading.tree import LogFile
from compliance.reading.trials import Tried, trials_of
from compliance.reading.values import is_number, is_shallow, seed_of
from compliance.reading.weights import KEY, named

MOST_SEEDS = MOST_RESUMED = 1000
DEEPEST = 16  # levels of a value that is kept
LARGEST = 64 << 10  # bytes of such a value, roughly; hyperparameters usually take 3 KiB
LARGEST_ALL = 1 << 20  # bytes of all values of keys unknown to the rules, and of the files that a run names
EXACT = 1 << 53  # times are below this, in milliseconds
KINDS = ("staging", "epoch", "eval")  # of spans


class Mark(NamedTuple):
    """The line of an event, from 1, and its time in milliseconds since 1970, None if it has none."""

    line: int
    time_ms: int | None


class Fact(NamedTuple):
    """A logged value and its line."""

    line: int
    value: Any


class Origin(NamedTuple):
    """The origin of a seed as logged: the line, the source, and the number of an entry in the round's registry; None
    if the log does not say."""

    line: int
    source: str | None
    entry: int | None


class Launch(NamedTuple):
    """A start of the run as its log names it: line and time of the event, the number of the start in the set's launch
    ledger, and the digest of its line there; None if the log does not say."""

    line: int
    time_ms: int | None
    number: int | None
    digest: str | None


@dataclass(frozen=True)
class Run:
    """What one log says. `facts` are the first values of the keys that belong to the run as a whole, known to the rules
    or not. `evaluations` are the finite scores between run_start and run_stop, by line and by time. `passing` is the
    first of them that meets the target."""

    path: str  # of the log, as findings give it
    file: Path
    number: int | None  # the i of result_<i>.txt
    pruned: bool  # whether it lies among the pruned results of a weak set
    size: int  # bytes
    benchmark: str
    problem: str | None
    division: str  # closed or open: that by which the run was judged
    metric: str  # the key of the benchmark's score
    target: float | None
    facts: dict[str, Fact]
    seeds: tuple[tuple[int, int], ...]  # (line, seed)
    start: Mark | None
    stop: Mark | None
    last_line: int
    status: Any  # as run_stop claims; no figure depends on it
    evaluations: Evaluations
    passing: Evaluation | None
    spans: dict[str, Spans]  # by kind: staging, epoch, eval
    ends: dict[str, int]  # by kind: the last line of its last span
    first_epoch: float | None  # the number of the first epoch, as logged
    samples: float | None  # samples trained up to the passing (or last) evaluation, if epoch_num counts samples
    energy: Energy | None  # measured over the run
    by_counters: Energy | None  # of its machine, also where a meter measured it, too
    resumed: int  # how often it was interrupted and resumed
    source: dict[str, str] | None  # path -> sha256 of every file that was loaded
    measured: Fact | None  # the totals of a throughput-only log
    throughput_only: bool  # whether it measures steps or input alone, and is no scored run
    trials: tuple[Tried, ...]  # of the input
    origin: Origin | None  # of the first seed
    weights: Named | None  # the final weights as logged
    environments: tuple[Named, ...]  # the manifests as logged: of the start, and of each resumption
    init: Mark | None  # init_start
    last_ms: int | None  # of the latest event, in a log that names a launch ledger
    launch: Launch | None  # the first start of the run, if the log names one
    resumptions: tuple[Launch, ...]  # the later starts; they have no digest
    coverage: Coverage | None  # the part of the machine that its own counters measured
    power: Reach | None  # of power readings in its own log
    numbers: Numbers  # from which the scores are computed
    figures: tuple[tuple[int, float], ...]  # (line, number) of the exact figures of its epochs
    waits: Waits  # how long its epochs waited for data
    parts: int  # of an epoch, each of which is logged as one
    codes: frozenset[str]  # of the findings in the log itself
    lines: frozenset[int]  # of these findings
    broken: frozenset[str]  # codes of the errors among them that no waiver covers

    @property
    def shift(self) -> float:
        """What a logged epoch_num lacks to be the number of epochs that are over: 1 for logs that count from 0. The
        first part of an epoch is a fraction already."""
        first = self.first_epoch
        return 0.0 if first is None or 0 < first < 1 else 1 - first

    @property
    def set_path(self) -> str:
        """The path of its set, as findings give it."""
        folder = self.path.rpartition("/")[0]
        return folder.rpartition("/")[0] if self.pruned else folder

    @property
    def joules(self) -> float | None:
        """The energy of the run in joules, None if none was measured."""
        return self.energy.joules if self.energy else None

    @property
    def converged(self) -> bool:
        """Whether an evaluation inside the run met the target."""
        return self.passing is not None

    @property
    def window(self) -> Span | None:
        """The timed span in milliseconds; None unless the run has a start and a later stop."""
        start, stop = self.start_ms, self.stop_ms
        return (start, stop) if start is not None and stop is not None and stop > start else None

    @property
    def seconds(self) -> float | None:
        """run_start to run_stop in seconds, converged or not; None without a timed span."""
        return None if self.window is None else (self.window[1] - self.window[0]) / 1000

    @property
    def start_ms(self) -> int | None:
        """The time of run_start in milliseconds since 1970."""
        return self.start.time_ms if self.start else None

    @property
    def stop_ms(self) -> int | None:
        """The time of run_stop in milliseconds since 1970."""
        return self.stop.time_ms if self.stop else None

    @property
    def stop_line(self) -> int:
        """The line of run_stop, or the last line."""
        return self.stop.line if self.stop else self.last_line

    @property
    def curve(self) -> list[tuple[int, float]]:
        """(line, score) of every evaluation."""
        return self.evaluations.curve

    @property
    def kept(self) -> int:
        """Roughly the bytes that the run takes in memory."""
        values = sum(len(key) + 100 + size_of(fact.value) for key, fact in self.facts.items())
        spans = sum(16 * len(spans) for spans in self.spans.values())
        return (
            values
            + spans
            + 40 * len(self.evaluations)
            + self.numbers.kept
            + 40 * len(self.waits)
            + size_of(self.source)
            + 50 * len(self.lines)
        )

    def value(self, key: str, default: Any = None) -> Any:
        """Return the first value of a key, or `default`."""
        fact = self.facts.get(key)
        return default if fact is None or fact.value is None else fact.value

    def line(self, key: str) -> int:
        """Return the line of the first value of a key, or 1."""
        return self.facts[key].line if key in self.facts else 1


def run_of(
    log: Log,
    terms: Terms,
    time: Timeline,
    place: LogFile,
    codes: frozenset[str] = frozenset(),
    lines: frozenset[int] = frozenset(),
    broken: frozenset[str] = frozenset(),
) -> Run:
    """Return the run of a log, with the codes and lines of the findings in it, and the names of what is broken."""
    file = place.file
    problem = log.value("problem")
    known = {k: events[0] for k, key in terms.keys.items() if not key.many and (events := log.events.get(k))}
    facts = facts_of(known, log.others)
    seeds = ((e.line, seed_of(e.value)) for e in log.all("seed")[:MOST_SEEDS])
    start, stop = _mark(time.start), _mark(time.stop)
    since, until = start.time_ms if start else None, stop.time_ms if stop else None
    window = (since, until) if since is not None and until is not None else None
    inside = [one for score in time.inside if (one := _evaluation(score.event))]
    passing = _evaluation(time.passing.event) if time.passing and not terms.throughput_only else None
    source, measured = log.first("source"), log.first("throughput") if terms.throughput_only else None
    files = metadata(source, "files") if source else None
    whole = files if type(files) is dict and _bounded(files, LARGEST_ALL) is files else None
    last = passing or (inside[-1] if inside else None)
    spans = {kind: Spans(_spans(log, kind, stop)) for kind in KINDS}
    by_counters = energy_of(log, time)
    return Run(
        path=log.path,
        file=file,
        number=place.number,
        pruned=place.pruned,
        size=log.size,
        benchmark=terms.benchmark_name,
        problem=problem if type(problem) is str else None,
        division=terms.division,
        metric=terms.metric,
        target=terms.target,
        facts=facts,
        seeds=tuple((line, seed) for line, seed in seeds if seed is not None),
        start=start,
        stop=stop,
        last_line=log.last_line,
        status=metadata(time.stop, "status") if time.stop else None,
        evaluations=Evaluations(inside),
        passing=passing,
        spans=spans,
        ends={kind: line for kind in KINDS if (line := _last_line(log, kind))},
        first_epoch=_number(metadata(e, "epoch_num")) if (e := log.first("epoch_start")) else None,
        samples=last.epoch if last and terms.benchmark.epoch_num == "samples" else None,
        energy=(metered(log, file, window, spans) or by_counters) if window else None,
        by_counters=by_counters,
        power=reach_of(own_readings(log), window, log.line(WATTS["node"])) if window else None,
        coverage=coverage_of(log),
        resumed=len(log.all("resumed")),
        source=_shared(source.value, whole) if source and whole is not None else None,
        measured=Fact(measured.line, _bounded(measured.value)) if measured and type(measured.value) is dict else None,
        throughput_only=terms.throughput_only,
        trials=trials_of(log) if terms.io_only else (),
        origin=_origin(log.first("seed")),
        weights=named(log.first(KEY), log.path),
        figures=figures_of(log),
        environments=manifests(log.first(ENVIRONMENT), log.all("resumed"), log.path),
        init=_mark(log.first("init_start")),
        last_ms=max(times_of(log), default=None) if "ledger" in log.events else None,
        launch=_launch(e, e.value, metadata(e, "line")) if (e := log.first("ledger")) else None,
        resumptions=tuple(
            _launch(e, e.value.get("ledger") if type(e.value) is dict else None)
            for e in log.all("resumed")[:MOST_RESUMED]
        ),
        numbers=Numbers(_rows(time, terms), MOST),
        waits=waits_of(log),
        parts=terms.benchmark.evaluations_per_epoch,
        codes=codes,
        lines=lines,
        broken=broken,
    )


def _rows(time: Timeline, terms: Terms) -> list[Row]:
    """Return line, epoch and numbers of each evaluation inside the run that has numbers."""
    return [(s.event.line, _number(s.epoch), found) for s in time.inside if (found := numbers_of(s.event, terms))]


def _origin(event: Event | None) -> Origin | None:
    if event is None:
        return None
    source, entry = metadata(event, "source"), metadata(event, "entry")
    return Origin(event.line, source if type(source) is str else None, entry if type(entry) is int else None)


def _launch(event: Event, number: Any, digest: Any = None) -> Launch:
    number, digest = number if type(number) is int else None, digest if type(digest) is str else None
    return Launch(event.line, _time(event), number, digest)


def facts_of(known: dict[str, Event], others: dict[str, Event]) -> dict[str, Fact]:
    """Return the values of events by key: all those of keys that rules know, and of other keys as many as fit."""
    facts = {key: Fact(e.line, _bounded(e.value)) for key, e in known.items()}
    room, kept = LARGEST_ALL, {}
    for key, event in others.items():
        room -= len(key) + size_of(event.value, DEEPEST)
        if room > 0:
            kept[key] = Fact(event.line, _bounded(event.value))
    return kept | facts


def _bounded(value: Any, most: int = LARGEST) -> Any:
    """Return a value, or a text instead of one that is too large or nested too deeply."""
    if type(value) not in (str, list, dict):
        return value
    if type(value) in (list, dict) and not is_shallow(value, DEEPEST):
        return "nested too deeply"
    return value if size_of(value, DEEPEST) <= most else "too large to be kept"


def _shared(digest: Any, files: dict[str, Any]) -> dict[str, Any]:
    """Return the files that a log names. Equal ones of earlier logs are shared, since most logs of a round agree."""
    known = _KNOWN.get(digest) if type(digest) is str else None
    if known is None or known != files:
        if type(digest) is str and len(_KNOWN) < MOST_KNOWN:
            _KNOWN[digest] = files
        return files
    return known


_KNOWN: dict[str, dict[str, Any]] = {}
MOST_KNOWN = 256


def _mark(event: Event | None) -> Mark | None:
    return Mark(event.line, _time(event)) if event else None


def _time(event: Event) -> int | None:
    time = event.time_ms
    if type(time) is int:
        return time if -EXACT < time < EXACT else None
    return round(time) if is_number(time) and -EXACT < time < EXACT else None


def _number(value: Any) -> float | None:
    return float(value) if is_number(value) else None


def _evaluation(event: Event) -> Evaluation | None:
    """Return the evaluation of a score, None if its value or time is no number."""
    time = _time(event)
    if time is None or not is_number(event.value):
        return None
    said = event.metadata if type(event.metadata) is dict else {}
    return Evaluation(
        event.line, time, _number(said.get("epoch_num")), _number(said.get("step_num")), float(event.value)
    )


def _spans(log: Log, kind: str, stop: Mark | None) -> list[Span]:
    """Return the spans of a kind. A span without an end closes where the next one begins, or at run_stop."""
    events, begins = (*log.all(f"{kind}_start"), *log.all(f"{kind}_stop")), f"{kind}_start"
    edges = [(e.line, at, e.key == begins) for e in events if (at := _time(e)) is not None]
    spans: list[Span] = []
    since: int | None = None
    for _, time, starts in sorted(edges):
        if since is not None:
            spans.append((since, time))
        since = time if starts else None
    if since is not None and stop and stop.time_ms is not None:
        spans.append((since, stop.time_ms))
    return spans


def _last_line(log: Log, kind: str) -> int:
    """Return the line of the last start or stop of a kind, or 0."""
    return max((e.line for end in ("start", "stop") for e in log.all(f"{kind}_{end}")[-1:]), default=0)
