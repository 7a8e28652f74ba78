"""The findings about a set for a page: by rule, worst first, with the lines around each place."""

import re
from itertools import groupby
from pathlib import Path
from typing import Any

from compliance.finding import SEVERITIES, Finding
from results.html.excerpt import excerpts
from results.statistics.standing import Standing
from results.tables.links import Links


def groups(standing: Standing, links: Links, home: Path, places: int, around: int) -> list[dict[str, Any]]:
    """The findings of a set by rule, errors first, waived ones last: code, severity, sentence, their number, how many
    `more` are not shown, and the places of the first, each with its link and what was found and wanted. These first
    `places` have up to `around` lines of the file on either side. No file outside of `home` is shown."""

    def rule(f: Finding) -> tuple[bool, int, str, str]:
        return bool(f.waived), SEVERITIES.index(f.severity), f.code, f.sentence

    found = [(key, list(members)) for key, members in groupby(sorted(standing.everything, key=rule), key=rule)]
    wanted: dict[str, set[int]] = {}
    for f in (f for _, members in found for f in members[:places]):
        wanted.setdefault(f.path, set()).add(f.line)
    lines = {path: excerpts(Path(path), home, numbers, around) for path, numbers in wanted.items()}
    return [
        {
            "code": code,
            "severity": ("waived " if waived else "") + members[0].severity,
            "sentence": sentence,
            "count": len(members),
            "more": len(members[places:]),
            "places": [place(f, links, home) | {"lines": lines[f.path].get(f.line, [])} for f in members[:places]],
        }
        for (waived, _, code, sentence), members in found
    ]


def place(f: Finding, links: Links, home: Path) -> dict[str, Any]:
    """The place of a finding, and what was found and wanted there."""
    waived = f" [waived by {f.waived}]" if f.waived else ""
    path = Path(f.path).absolute()
    return {"where": links.place(path, f.line), "href": links.to(path), "said": from_round(f.details(), home) + waived}


def from_round(text: str, home: Path) -> str:
    """A finding's text in which paths of submissions begin with their round, wherever the command was run. `home` is
    one of the submissions."""
    above = re.escape(f"{home.parent.parent}/".replace("//", "/"))
    return re.sub(rf"(?<![\w./]){above}(?=[^/\s]+/[^/\s]+/(results|source|systems)/)", "", text)
