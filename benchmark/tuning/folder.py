"""Freeze and read the folder of a campaign, and read how its trials went from their logs.

`campaign.json` is the canonical text. `ledger.jsonl`, the launch ledger of the trials, begins with two entries: first
the digest of that text is `frozen`, then the shift is `drawn`. The starts of trials follow in the same chain.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.atomic import replacing
from benchmark.ledger import Asked, Drawn, Entry, Event, Frozen, append, read_ledger
from benchmark.run.files import LEDGER
from benchmark.tuning.campaign import FILE, Campaign, read_frozen
from benchmark.tuning.points import point

OWN = "os.urandom"


@dataclass(frozen=True)
class Opened:
    """A campaign whose shift has been drawn. `line` is the digest of the ledger's line with the shift. `asked` has the
    points that an outside sampler proposed, by trial."""

    campaign: Campaign
    shift: str
    source: str
    line: str
    drawn_ms: int
    asked: dict[int, dict[str, Any]]

    def point(self, index: int) -> dict[str, Any]:
        """Return the settings of a trial's point. Raises ValueError for a trial that has no point."""
        if not 0 <= index < self.campaign.trials:
            raise ValueError(f"found trial {index}, wanted 0 to {self.campaign.trials - 1}")
        if self.campaign.sampler != "optuna":
            return point(self.campaign, self.shift, index)
        if index not in self.asked:
            raise ValueError(f"found no point that the sampler was asked for trial {index}, wanted one in {LEDGER}")
        return self.asked[index]

    def settings(self, index: int) -> dict[str, Any]:
        """Return all settings that the campaign gives a trial."""
        return {**self.campaign.fixed, **self.point(index)}


def opened(campaign: Campaign, entries: Iterable[Entry[Event]]) -> Opened:
    """Return the campaign together with what a ledger's entries say of it. Raises ValueError unless the first entry
    freezes its digest and the second one draws a shift."""
    first = [entry for entry in entries if isinstance(entry.said, Frozen | Drawn | Asked)]
    frozen, drawn = (entry.said for entry in first[:2]) if len(first) > 1 else (None, None)
    numbers = [entry.number for entry in first[:2]]
    if not isinstance(frozen, Frozen) or not isinstance(drawn, Drawn) or numbers != [1, 2]:
        found = ", ".join(f"{type(entry.said).__name__.lower()} in line {entry.number}" for entry in first[:2])
        raise ValueError(f"{LEDGER}: found {found or 'no campaign'}, wanted frozen in line 1 and drawn in line 2")
    if frozen.sha256 != campaign.digest:
        raise ValueError(f"{FILE}: found the sha256 {campaign.digest}, wanted {frozen.sha256}, as frozen")
    asked: dict[int, dict[str, Any]] = {}
    for entry in first[2:]:
        if isinstance(entry.said, Asked):
            asked.setdefault(entry.said.trial, entry.said.point)
    return Opened(campaign, drawn.shift, drawn.source, first[1].line, first[1].time_ms, asked)


def open_folder(folder: Path) -> Opened:
    """Return the campaign in a folder. Raises ValueError, naming the folder, or OSError."""
    try:
        return opened(read_frozen(folder / FILE), read_ledger(folder / LEDGER).entries)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None


def freeze(folder: Path, campaign: Campaign, registered: tuple[str, str] | None = None) -> Opened:
    """Freeze a campaign in its folder, then draw its shift. What is frozen or drawn already stays as it is.

    `registered`, (shift, source), is a shift that organisers drew. Raises ValueError where the folder has another
    campaign or another shift.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    if not path.exists():
        with replacing(path) as partial:
            partial.write_bytes(campaign.text.encode())
    if read_frozen(path).digest != campaign.digest:
        wanted = "wanted this one: a frozen campaign cannot change; give the new one another name (--name)"
        raise ValueError(f"{path}: found another campaign, {wanted}")
    entries = read_ledger(folder / LEDGER).entries if (folder / LEDGER).exists() else ()
    if not entries:
        append(folder / LEDGER, Frozen(campaign.digest))
    if len(entries) < 2:
        append(folder / LEDGER, Drawn(*(registered or (os.urandom(32).hex(), OWN))))
    found = open_folder(folder)
    if registered and (found.shift, found.source) != registered:
        raise ValueError(f"{folder}: found a shift of {found.source}, wanted that of {registered[1]}")
    return found
