"""A finding: one fault, at one place, with what was found and what is wanted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from compliance.safe import printable

SEVERITIES = ("error", "warning", "review", "info")
LONGEST = 240  # characters of a stranger's value that are repeated in a finding


@dataclass(frozen=True)
class Finding:
    """One fault. `line` counts from 1; it is 1 where the fault is the file or folder as a whole."""

    path: str
    line: int
    code: str
    severity: str
    sentence: str
    found: str = ""
    wanted: str = ""
    waived: str = ""  # "reviewer: reason" where a waiver file covers it
    impact: str = ""  # the score with and without it, where that is known

    def text(self) -> str:
        """`path:line: CODE sentence`, with found and wanted."""
        return f"{printable(self.path)}:{self.line}: {self.code} {self.message()}"

    def message(self) -> str:
        """The sentence with what was found and wanted."""
        tail = f" ({self.details()})" if self.details() else ""
        mark = "" if self.severity == "error" else f"{self.severity}: "
        return printable(f"{mark}{self.sentence}{tail}")

    def details(self) -> str:
        """What was found and what is wanted, as they stand."""
        parts = (("found", self.found), ("wanted", self.wanted))
        return ", ".join(f"{name} {value}" for name, value in parts if value)


@dataclass(frozen=True)
class Fault:
    """What a check yields; the engine adds the code, the severity, and the path where it isn't given."""

    line: int
    found: Any = ""
    wanted: Any = ""
    says: str = ""  # instead of the rule's own sentence
    path: str = ""
    severity: str = ""


def sort_key(finding: Finding) -> tuple:
    """Findings in the order of their places."""
    return (finding.path, finding.line, finding.code, finding.found)


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """The errors among findings that no waiver covers."""
    return [f for f in findings if f.severity == "error" and not f.waived]


def counted(n: int, what: str) -> str:
    """A number of things in words."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def show(value: Any) -> str:
    """A value of a stranger's as a finding repeats it: short, on one line."""
    text = value if isinstance(value, str) else repr(value)
    return printable(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")
