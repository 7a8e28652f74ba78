"""The findings about a set for a page: by rule, worst first, with the lines around each place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from compliance.finding import SEVERITIES, Finding
from results.html.excerpt import Line, excerpts
from results.statistics.standing import Standing
from results.tables.links import Links

ORDER = {severity: i for i, severity in enumerate(SEVERITIES)}


@dataclass(frozen=True)
class Place:
    """One finding: its place, what was found and wanted, and the lines of the file around it."""

    where: str
    href: str
    said: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Group:
    """The findings of one rule: their number, and the places of the first."""

    code: str
    severity: str
    sentence: str
    count: int
    places: Sequence[Place]

    @property
    def more(self) -> int:
        """The number of findings that are not shown."""
        return self.count - len(self.places)


def groups(standing: Standing, links: Links, home: Path, places: int, around: int) -> list[Group]:
    """The findings of a set by rule, errors first, waived ones last. The first `places` findings of each rule have up
    to `around` lines of the file on either side. No file outside of `home` is shown."""

    def rule(f: Finding) -> tuple[bool, int, str, str]:
        return bool(f.waived), ORDER.get(f.severity, len(ORDER)), f.code, f.sentence

    found = [(key, list(members)) for key, members in groupby(sorted(standing.everything, key=rule), key=rule)]
    shown = [f for _, members in found for f in members[:places]]
    wanted: dict[str, set[int]] = {}
    for f in shown:
        wanted.setdefault(f.path, set()).add(f.line)
    lines = {path: excerpts(Path(path), home, numbers, around) for path, numbers in wanted.items()}
    return [
        Group(
            code,
            ("waived " if waived else "") + members[0].severity,
            sentence,
            len(members),
            [place(f, links, home, lines[f.path].get(f.line, [])) for f in members[:places]],
        )
        for (waived, _, code, sentence), members in found
    ]


def place(f: Finding, links: Links, home: Path, lines: Sequence[Line]) -> Place:
    """A finding as the page shows it."""
    waived = f" [waived by {f.waived}]" if f.waived else ""
    path = Path(f.path).absolute()
    return Place(links.place(path, f.line), links.to(path), from_round(f.details(), home) + waived, lines)


def from_round(text: str, home: Path) -> str:
    """A finding's text in which paths of submissions begin with their round, wherever the command was run. `home` is
    one of the submissions."""
    above = re.escape(f"{home.parent.parent}/".replace("//", "/"))
    return re.sub(rf"(?<![\w./]){above}(?=[^/\s]+/[^/\s]+/(results|source|systems)/)", "", text)
