"""Read from a log what became of its run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.log import Event, read_log
from benchmark.tuning.ending import ENDED

OVER = ("the loss is ", ENDED)  # beginnings of the reason of a run that cannot go on, or of a trial that may not


@dataclass(frozen=True)
class Standing:
    """The state of a run, and facts from its log. `state` is `missing`; `reached` (its target); `missed` (it used up
    its epochs, diverged, or ended as a trial does, and counts as it is); or `broken` (it was interrupted before
    that)."""

    state: str
    started: bool = False  # whether its clock ever ran
    seconds: float = 0.0
    epochs: int = 0
    score: float | None = None
    settings: dict[str, Any] | None = None
    config: str | None = None  # config_digest
    problem: str | None = None

    @property
    def over(self) -> bool:
        """Return whether the run is finished, so that it counts."""
        return self.state in ("reached", "missed")


def standing(log: Path) -> Standing:
    """Return the state of a log's run. Raises OSError for a log that cannot be read."""
    if not log.exists() or not log.stat().st_size:
        return Standing("missing")
    events = [event for event in read_log(log) if isinstance(event, Event)]
    last = {event.key: event for event in events}
    start = next((event for event in events if event.key == "run_start"), None)
    stop, resumed = last.get("run_stop"), last.get("resumed")
    if stop and resumed and stop.line < resumed.line:
        stop = None  # it went on since
    score = last.get("eval_accuracy") or last.get("eval_error")
    settings, config, problem = (
        last[key].value if key in last else None for key in ("hyperparameters", "config_digest", "problem")
    )
    facts = {
        "started": start is not None,
        "seconds": (stop.time_ms - start.time_ms) / 1000 if start and stop else 0.0,
        "epochs": score.metadata.get("epoch_num", 0) if score else 0,
        "score": score.value if score else None,
        "settings": settings if isinstance(settings, dict) else None,
        "config": config,
        "problem": problem,
    }
    if not stop:
        return Standing("broken", **facts)
    if stop.metadata.get("status") == "success":
        return Standing("reached", **facts)
    limit = (facts["settings"] or {}).get("epochs")
    used_up = score is not None and facts["epochs"] == limit
    ended = str(stop.metadata.get("reason", "")).startswith(OVER)
    return Standing("missed" if used_up or ended else "broken", **facts)
