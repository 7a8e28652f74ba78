"""Read from a stranger's log what an audit needs. Every value is checked, and an error names the first invalid one."""

import itertools
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.collect import files_of
from benchmark.log import Event, read_log
from benchmark.workload import AnyProblem
from rules.current import EDITION
from rules.edition import load

MOST_EPOCHS = 100_000
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Epoch:
    """The steps up to one evaluation: how many epochs are over then, the mean loss of these steps, the score, and the
    numbers behind the score, which are lists of counts or sums by name from the evaluation's metadata. `line` is the
    evaluation's, `state` the digest of the checkpoint that was written then, or None, and `early` the mean loss of the
    first few of these steps, or None."""

    number: float
    loss: float
    score: float
    facts: dict[str, tuple[float, ...]]
    line: int = 1
    state: str | None = None
    early: float | None = None


@dataclass(frozen=True)
class LoggedRun:
    """A run as its log states it. `settings` are its hyperparameters, not checked yet; `machine` names those of the
    machine, None if the log does not say. `files` has the sha256 of the loaded files by path, and `config` is the one
    that its settings came from, or None. `epochs` start with the first. `weights` is the sha256 of the final weights,
    and `validation` the fingerprint of the validation split, or None."""

    path: Path
    benchmark: str
    problem: str
    problem_digest: str
    seed: int
    settings: dict[str, Any]
    ranks: int
    files: dict[str, str]
    config: str | None
    epochs: tuple[Epoch, ...]
    weights: str | None = None
    validation: str | None = None
    machine: tuple[str, ...] | None = None


def read_run(path: Path) -> LoggedRun:
    """Return the run of a log. Raises ValueError with the log, what was found and what was wanted."""
    try:
        events = [event for event in read_log(path) if isinstance(event, Event)]
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    first = {event.key: event for event in reversed(events)}
    if any(event.key == "throughput_only" for event in events):
        raise ValueError(f"{path}: found a log of throughput alone, wanted a run")

    def value(key: str, kind: type) -> Any:
        event = first.get(key)
        if event is None:
            raise ValueError(f"{path}: found no {key}, wanted one")
        if type(event.value) is not kind:
            raise ValueError(f"{path}:{event.line}: {key}: found {event.value!r:.80}, wanted {kind.__name__}")
        return event.value

    seed, ranks = value("seed", int), value("number_of_ranks", int)
    if not 0 <= seed < 1 << 63:
        raise ValueError(f"{path}:{first['seed'].line}: seed: found {seed}, wanted 0 to 2^63 - 1")
    if ranks < 1:
        raise ValueError(f"{path}:{first['number_of_ranks'].line}: number_of_ranks: found {ranks}, wanted 1 or more")
    files, benchmark = files_of(path), value("submission_benchmark", str)
    config = first["source"].metadata.get("config") if files else None
    known = load(EDITION).benchmarks
    epochs = _epochs(path, events, known[benchmark].metric if benchmark in known else "")
    if not epochs:
        raise ValueError(f"{path}: found no evaluated epoch, wanted one or more to hold a replay against")
    return LoggedRun(
        path,
        benchmark,
        value("problem", str),
        value("problem_digest", str),
        seed,
        value("hyperparameters", dict),
        ranks,
        files,
        config if isinstance(config, str) and config in files else None,
        epochs,
        _digest(path, first.get("weights")),
        _digest(path, next((e for e in events if e.key == "dataset_fingerprint" and _split(e) == "validation"), None)),
        _names(first["hyperparameters"].metadata),
    )


def has_weights(path: Path) -> bool:
    """Return whether a log has final weights. Raises OSError."""
    return any(isinstance(event, Event) and event.key == "weights" for event in read_log(path))


def _names(metadata: Any) -> tuple[str, ...] | None:
    """Return the names under `machine`; None if there are none."""
    named = metadata.get("machine") if isinstance(metadata, dict) else None
    return None if named is None else tuple(n for n in named if isinstance(n, str)) if isinstance(named, list) else ()


def _split(event: Event) -> Any:
    return event.metadata.get("split") if isinstance(event.metadata, dict) else None


def _digest(path: Path, event: Event | None) -> str | None:
    """Return the digest in an event's value; None without an event. Raises ValueError for another value."""
    if event and not (isinstance(event.value, str) and SHA256.fullmatch(event.value)):
        raise ValueError(f"{path}:{event.line}: {event.key}: found {event.value!r:.80}, wanted a sha256")
    return event.value if event else None


def _epochs(path: Path, events: list[Event], metric: str) -> tuple[Epoch, ...]:
    """Return the epochs, from the first on, that have a loss and a score, the event `metric`. Of several events with
    the same number the last counts."""
    losses: dict[float, float] = {}
    early: dict[float, float] = {}
    scores: dict[float, tuple[float, dict[str, tuple[float, ...]], int, str | None]] = {}
    for event in events:
        if event.key not in ("tracked_stats", metric):
            continue
        data = event.metadata if isinstance(event.metadata, dict) else {}
        number = data.get("epoch_num")
        if type(number) not in (int, float) or not 0 < number <= MOST_EPOCHS:
            raise ValueError(f"{path}:{event.line}: {event.key}: found epoch {number!r:.80}, wanted one above 0")
        if event.key == "tracked_stats":
            loss = event.value.get("loss") if isinstance(event.value, dict) else None
            losses[number] = _number(loss, f"{path}:{event.line}: loss")
            if "early_loss" in event.value:
                early[number] = _number(event.value["early_loss"], f"{path}:{event.line}: early_loss")
        else:
            facts = {name: found for name, found in data.items() if isinstance(found, list)}
            where = f"{path}:{event.line}: {event.key}"
            lists = {n: tuple(_number(x, f"{where}: {n}") for x in flat(found)) for n, found in facts.items()}
            state = data.get("state")
            if state is not None and not (isinstance(state, str) and SHA256.fullmatch(state)):
                raise ValueError(f"{where}: state: found {state!r:.80}, wanted a sha256")
            scores[number] = _number(event.value, where), lists, event.line, state
    numbers = sorted(losses.keys() | scores.keys())
    whole = list(itertools.takewhile(lambda number: number in losses and number in scores, numbers))
    return tuple(Epoch(n, losses[n], *scores[n], early.get(n)) for n in whole) if whole and whole[0] <= 1 else ()


def flat(found: Any, depth: int = 2) -> list[Any]:
    """Return what lists in lists hold, in order: samples of classes of counts, as `scaffold_published` logs them. Lists
    that are deeper stay as they are."""
    numbers: list[Any] = []
    for part in found:
        numbers += flat(part, depth - 1) if isinstance(part, list) and depth else [part]
    return numbers


def _number(value: Any, where: str) -> float:
    """Return a number that a float can hold. Raises ValueError, which begins with `where`, for anything else."""
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{where}: found {value!r:.80}, wanted a finite number")
    return value


def matches(run: LoggedRun, problem: AnyProblem) -> None:
    """Raise ValueError unless the run is of this problem."""
    if (run.benchmark, run.problem_digest) != (problem.workload, problem.digest()):
        found = f"{run.benchmark}, problem digest {run.problem_digest[:16]!r}"
        wanted = f"{problem.workload}, {problem.digest()[:16]!r}, which {problem.name} has here"
        raise ValueError(f"{run.path}: found {found}, wanted {wanted}")
