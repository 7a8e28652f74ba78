"""Waivers: a reviewer's file, outside what is judged, that lets single findings pass and says why.

A YAML list of {code, path, line (optional), reason, reviewer}. `path` ends the finding's path; nothing else widens it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from benchmark.config import build
from compliance.finding import Finding, sort_key
from compliance.rule import CHECKS
from compliance.verdict import Verdict


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


@dataclass(frozen=True)
class Waivers:
    """A file of waivers, each with its line."""

    path: str
    waivers: tuple[tuple[int, Waiver], ...]

    def cover(self, finding: Finding) -> bool:
        """Whether one of them is for that finding."""
        return any(waiver.covers(finding) for _, waiver in self.waivers)


def read_waivers(path: Path, judged: Iterable[str | Path]) -> Waivers:
    """The waivers of a file. Raises ValueError if it can't be read, is incomplete, or lies in what is judged."""
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
        return Waivers(str(path), ())
    if not isinstance(entries, list):
        raise ValueError(f"{path}: found a {type(entries).__name__}, wanted a list of waivers")
    lines = [item.start_mark.line + 1 for item in node.value]
    built = ((line, build(Waiver, entry, f"{path}:{line}")) for line, entry in zip(lines, entries, strict=True))
    return Waivers(str(path), tuple(built))


def apply(verdict: Verdict, file: Waivers) -> Verdict:
    """The verdict, waived findings marked wherever they stand, and a warning for each waiver that covers nothing."""
    used: set[int] = set()
    marked: dict[Finding, Finding] = {}
    for finding in verdict.findings:
        line, waiver = next(((n, w) for n, w in file.waivers if w.covers(finding)), (0, None))
        if waiver:
            used.add(line)
            marked[finding] = replace(finding, waived=f"{waiver.reviewer}: {waiver.reason}")
    check = CHECKS["WAI01"]
    idle = [
        Finding(file.path, f.line, check.code, check.severity, check.sentence, f.found, f.wanted)
        for f in check.function(file.waivers, used)
    ]
    found = verdict.with_findings(marked)
    return replace(found, findings=tuple(sorted((*found.findings, *idle), key=sort_key)))
