"""The folder of a campaign: what was frozen and drawn, and how its trials went, by their logs.

`campaign.json` is the canonical text. `ledger.jsonl`, the launch ledger of the trials, begins with two entries: the
digest of that text is `frozen`, and only then the shift is `drawn`. Everything that is started comes behind them in the
same chain.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.atomic import sync
from benchmark.ledger import Asked, Drawn, Entry, Frozen, append, read_ledger
from benchmark.log import Event, read_log
from benchmark.tree import LEDGER
from benchmark.tuning.campaign import FILE, Campaign, read_frozen
from benchmark.tuning.ending import Course
from benchmark.tuning.points import point

OWN = "os.urandom"


@dataclass(frozen=True)
class Opened:
    """A campaign whose shift is drawn: `line` is the digest of the ledger's line with the shift, `asked` are the points
    that an outside sampler proposed, by trial."""

    campaign: Campaign
    shift: str
    source: str
    line: str
    drawn_ms: int
    asked: dict[int, dict[str, Any]]

    def point(self, index: int) -> dict[str, Any]:
        """The settings of a trial's point. Raises ValueError where it has none."""
        if not 0 <= index < self.campaign.trials:
            raise ValueError(f"found trial {index}, wanted 0 to {self.campaign.trials - 1}")
        if self.campaign.sampler != "optuna":
            return point(self.campaign, self.shift, index)
        if index not in self.asked:
            raise ValueError(f"found no point that the sampler was asked for trial {index}, wanted one in {LEDGER}")
        return self.asked[index]

    def settings(self, index: int) -> dict[str, Any]:
        """All settings that the campaign gives a trial."""
        return {**self.campaign.fixed, **self.point(index)}


def opened(campaign: Campaign, entries: Iterable[Entry]) -> Opened:
    """The campaign with what a ledger's entries say of it. Raises ValueError unless these begin with its digest,
    frozen, and then a shift; the first of each counts."""
    first = [entry for entry in entries if isinstance(entry.said, Frozen | Drawn | Asked)]
    kinds = [type(entry.said) for entry in first[:2]]
    if kinds != [Frozen, Drawn] or [entry.number for entry in first[:2]] != [1, 2]:
        found = ", ".join(f"{kind.__name__.lower()} in line {e.number}" for kind, e in zip(kinds, first, strict=False))
        raise ValueError(f"{LEDGER}: found {found or 'no campaign'}, wanted frozen in line 1 and drawn in line 2")
    if first[0].said.sha256 != campaign.digest:
        raise ValueError(f"{FILE}: found the sha256 {campaign.digest}, wanted {first[0].said.sha256}, as frozen")
    asked: dict[int, dict[str, Any]] = {}
    for entry in first[2:]:
        if isinstance(entry.said, Asked):
            asked.setdefault(entry.said.trial, entry.said.point)
    drawn = first[1]
    return Opened(campaign, drawn.said.shift, drawn.said.source, drawn.line, drawn.time_ms, asked)


def open_folder(folder: Path) -> Opened:
    """The campaign in a folder. Raises ValueError, naming the folder, or OSError."""
    try:
        return opened(read_frozen(folder / FILE), read_ledger(folder / LEDGER).entries)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None


def freeze(folder: Path, campaign: Campaign, registered: tuple[str, str] | None = None) -> Opened:
    """Freeze a campaign in its folder, and draw its shift only then; what is frozen and drawn already stays. With
    `registered`, (shift, source), the shift is an organiser's. Raises ValueError where the folder has another one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    if not path.exists():
        partial = path.with_suffix(".partial")
        partial.write_bytes(campaign.text.encode())
        os.replace(partial, path)
        sync(folder)
    if read_frozen(path).digest != campaign.digest:
        raise ValueError(f"{path}: found another campaign, wanted this one: what is frozen stays; give it a new name")
    entries = read_ledger(folder / LEDGER).entries if (folder / LEDGER).exists() else ()
    if not entries:
        append(folder / LEDGER, Frozen(campaign.digest))
    if len(entries) < 2:
        append(folder / LEDGER, Drawn(*(registered or (os.urandom(32).hex(), OWN))))
    found = open_folder(folder)
    if registered and (found.shift, found.source) != registered:
        raise ValueError(f"{folder}: found a shift of {found.source}, wanted that of {registered[1]}")
    return found


def course(log: Path, metric: str) -> Course:
    """How a trial went, by its log. Raises OSError for one that can't be read."""
    start = stop = None
    scores = []
    for event in read_log(log):
        if not isinstance(event, Event):
            continue
        if event.key == "run_start":
            start = event.time_ms
        elif event.key == "run_stop":
            stop = event.time_ms
        elif event.key == metric:
            scores.append((event.metadata["epoch_num"], event.time_ms, event.value))
    return Course(start, stop, tuple(scores))
