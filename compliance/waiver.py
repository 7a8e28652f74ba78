"""Waivers: a reviewer's file, outside what is judged, that lets single findings pass and says why.

A YAML list of {code, path, line (optional), reason, reviewer}. `path` ends the finding's path; nothing else widens it.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from benchmark.config import build
from compliance.finding import Finding
from compliance.rule import CHECKS


@dataclass(frozen=True)
class Waiver:
    """One waived finding: its rule, its place (a path's end, whole names; a line or any), why, and by whom."""

    code: str
    path: str
    reason: str
    reviewer: str
    line: int | None = None

    def __post_init__(self):
        for name in ("code", "path", "reason", "reviewer"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name}: found nothing, wanted some text")

    def covers(self, finding: Finding) -> bool:
        """Whether this waiver is for that finding."""
        wanted = [p for p in self.path.split("/") if p]
        same_place = finding.path.split("/")[-len(wanted) :] == wanted
        return finding.code == self.code and same_place and self.line in (None, finding.line)


def read_waivers(path: Path, judged: list[str]) -> list[tuple[int, Waiver]]:
    """(line, waiver) of a file. Raises ValueError if it can't be read, is incomplete, or lies in what is judged."""
    real = path.resolve()
    for place in judged:
        if real.is_relative_to(Path(place).resolve()):
            raise ValueError(f"{path}: waivers inside of {place}, wanted a file outside of what is judged")
    try:
        text = path.read_text(encoding="utf-8")
        node, entries = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: cannot be read as YAML: {error}") from None
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise ValueError(f"{path}: found a {type(entries).__name__}, wanted a list of waivers")
    lines = [item.start_mark.line + 1 for item in node.value]
    return [(line, build(Waiver, entry, f"{path}:{line}")) for line, entry in zip(lines, entries, strict=True)]


def apply(findings: tuple[Finding, ...], waivers: list[tuple[int, Waiver]], path: str) -> tuple[Finding, ...]:
    """The findings, waived ones marked, and a warning for each waiver that covers nothing."""
    used: set[int] = set()
    marked = []
    for finding in findings:
        line, waiver = next(((n, w) for n, w in waivers if w.covers(finding)), (0, None))
        if waiver:
            used.add(line)
            finding = replace(finding, waived=f"{waiver.reviewer}: {waiver.reason}")
        marked.append(finding)
    check = CHECKS["WAI01"]
    for fault in check.function(waivers, used):
        marked.append(Finding(path, fault.line, check.code, check.severity, check.sentence, fault.found, fault.wanted))
    return tuple(marked)
