"""Waivers: a reviewer's file, outside of what is judged, that lets findings pass and gives the reasons.

It is a YAML list of {organisation, code, path, line (optional), expires (optional), reason, reviewer}. A waiver covers
nothing of another organisation's. `path` is the end of the finding's path in whole names, a pattern of names, or a
folder, which ends in `/`.
"""

import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

from compliance.finding import Finding
from compliance.reviewing.entries import covers_path, day, read_entries
from rules.names import folded

ABOUT = ("WAI01", "WAI02")  # the rules on waivers: one covers a finding, and has not expired


@dataclass(frozen=True)
class Waiver:
    """One waiver: whose finding, the rule, the place (end of a path, pattern or folder; a line or any), the reason, the
    reviewer."""

    organisation: str
    code: str
    path: str
    reason: str
    reviewer: str
    line: int | None = None
    expires: str | None = None  # YYYY-MM-DD, the last day on which it holds, in UTC

    def __post_init__(self) -> None:
        for name in ("organisation", "code", "path", "reason", "reviewer"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name}: found nothing, wanted some text")
        if self.expires is not None:
            day(self.expires, "expires")
        if self.line is not None and self.path.endswith("/"):
            raise ValueError(f"line: found {self.line} of the folder {self.path}, wanted no line, or a file")

    def covers(self, finding: Finding) -> bool:
        """Return whether this waiver covers the finding."""
        return finding.code == self.code and self.line in (None, finding.line) and covers_path(self.path, finding.path)

    def expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return self.expires is not None and day(self.expires, "expires") < today


@dataclass(frozen=True)
class Waivers:
    """A file of waivers, each with its line. Those that have expired by `today`, a day in UTC, waive nothing."""

    path: str
    waivers: tuple[tuple[int, Waiver], ...]
    today: date = field(default_factory=lambda: datetime.now(UTC).date())

    @functools.cached_property
    def valid(self) -> list[tuple[int, Waiver]]:
        """The waivers that have not expired, with their lines."""
        return [(line, waiver) for line, waiver in self.waivers if not waiver.expired(self.today)]

    @property
    def expired(self) -> list[tuple[int, str]]:
        """The lines of the others, with their last days."""
        return [(line, waiver.expires or "") for line, waiver in self.waivers if waiver.expired(self.today)]

    def idle(self, used: Collection[int]) -> list[tuple[int, str]]:
        """Return the lines of the valid waivers that are not among `used`, with the rules and places that they name."""
        return [
            (line, f"{waiver.code} at {waiver.path}{f':{waiver.line}' if waiver.line else ''}")
            for line, waiver in self.valid
            if line not in used
        ]

    def of(self, organisation: str) -> "Waivers":
        """Return the waivers of an organisation, however it spells its name."""
        own = tuple(w for w in self.waivers if folded(w[1].organisation) == folded(organisation))
        return replace(self, waivers=own)

    def covering(self, finding: Finding) -> tuple[int, Waiver] | None:
        """Return the first valid waiver that covers the finding, with its line; None without one."""
        return next(((line, waiver) for line, waiver in self.valid if waiver.covers(finding)), None)

    def mark(self, finding: Finding) -> Finding:
        """Return the finding, marked if a valid waiver covers it."""
        if found := self.covering(finding):
            return replace(finding, waived=f"{found[1].reviewer}: {found[1].reason}")
        return finding


def read_waivers(path: Path, judged: Iterable[str | Path]) -> Waivers:
    """Return the waivers of a file. Raises ValueError if it can't be read, is incomplete, or lies in what is judged."""
    return Waivers(str(path), read_entries(path, judged, Waiver, "waivers"))
