"""Read from a log what became of its run. It may be any program's, so a value may be missing or of another type."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.log import Event, read_log
from benchmark.tuning.ending import ENDED

FINAL = ("the loss is ", ENDED)  # beginnings of the reason of a run that cannot go on, or of a trial that may not


@dataclass(frozen=True)
class RunStatus:
    """The state of a run, and facts from its log. `state` is `missing`; `reached` (its target); `missed` (it used up
    its epochs, diverged, or ended as a trial does, and counts as it is); or `interrupted` (before that)."""

    state: str
    started: bool = False  # whether its clock ever ran
    seconds: float = 0.0
    epochs: int = 0
    score: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    config: str | None = None  # config_digest
    problem: str | None = None

    @property
    def finished(self) -> bool:
        """Return whether the run is finished, so that it counts."""
        return self.state in ("reached", "missed")


def read_status(log: Path) -> RunStatus:
    """Return the state of a log's run. Raises OSError for a log that cannot be read."""
    if not log.exists() or not log.stat().st_size:
        return RunStatus("missing")
    events = [event for event in read_log(log) if isinstance(event, Event)]
    last = {event.key: event for event in events}
    start = next((event for event in events if event.key == "run_start"), None)
    stop, resumed = last.get("run_stop"), last.get("resumed")
    if stop and resumed and stop.line < resumed.line:
        stop = None  # it went on since
    score = next((event for event in reversed(events) if is_score(event)), None)
    value = {key: event.value for key, event in last.items()}
    settings = value["hyperparameters"] if isinstance(value.get("hyperparameters"), dict) else {}
    epochs = score.metadata["epoch_num"] if score else 0
    times = [ms for event in (start, stop) if event and (ms := number(event.time_ms)) is not None]
    return RunStatus(
        state_of(stop, bool(score) and epochs == settings.get("epochs")),
        start is not None,
        (times[1] - times[0]) / 1000 if len(times) == 2 else 0.0,
        epochs,
        score.value if score else None,
        settings,
        value.get("config_digest"),
        value.get("problem"),
    )


def state_of(stop: Event | None, used_up: bool) -> str:
    """Return the state of a run, given the end of its log and whether it used up its epochs."""
    if not stop:
        return "interrupted"
    said = stop.metadata if isinstance(stop.metadata, dict) else {}
    if said.get("status") == "success":
        return "reached"
    ended = str(said.get("reason", "")).startswith(FINAL)
    return "missed" if used_up or ended else "interrupted"


def is_score(event: Event) -> bool:
    """Return whether an event is the score of an evaluation: a number after an epoch, whatever its key."""
    epoch = event.metadata.get("epoch_num") if isinstance(event.metadata, dict) else None
    return number(epoch) is not None and number(event.value) is not None


def number(value: Any) -> float | None:
    """Return a number that a float can hold; None for anything else."""
    return value if type(value) in (int, float) and abs(value) <= sys.float_info.max else None
