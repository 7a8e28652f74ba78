"""A finding: one fault, at one place, with what was found and what is wanted."""

import re
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from benchmark.printable import printable

SEVERITIES = ("error", "review", "warning", "info")  # in the order in which people read them
LONGEST = 240  # characters of a submitted value that a finding repeats
REST = re.compile(r"([1-9]\d{0,8}) more from here on")  # what a check finds beyond those that are listed
WHOLE = 2000  # characters of all that a finding found, or wants


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

    @property
    def times(self) -> int:
        """How many faults it stands for: more than one where the others are not listed."""
        rest = REST.fullmatch(self.found)
        return int(rest[1]) if rest else 1

    def text(self) -> str:
        """Return `path:line: CODE sentence (found ..., wanted ...)`."""
        return f"{printable(self.path)}:{self.line}: {self.code} {self.message()}"

    def message(self) -> str:
        """Return the severity, if it is no error, the sentence, and what was found and wanted."""
        mark = "" if self.severity == "error" else f"{self.severity}: "
        return printable(f"{mark}{self.said()}")

    def said(self) -> str:
        """Return the sentence with what was found and wanted, unless it says both itself. The caller escapes it."""
        values = (value for value in (self.found, self.wanted) if value)
        told = all(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.sentence) for value in values)
        return self.sentence if told else f"{self.sentence} ({self.details()})"

    def details(self) -> str:
        """Return `found ..., wanted ...`, as far as they are given."""
        parts = (("found", self.found), ("wanted", self.wanted))
        return ", ".join(f"{name} {value}" for name, value in parts if value)


@dataclass(frozen=True)
class Fault:
    """A fault as a check yields it. The engine adds the code, and the severity and path if they are empty. `about` has
    the key of the log that the fault is about, and the groups that this key belongs to."""

    line: int
    found: Any = ""
    wanted: Any = ""
    says: str = ""  # replaces what the rule's text says of a finding
    path: str = ""
    severity: str = ""
    about: tuple[str, ...] = ()


def sort_key(finding: Finding) -> tuple[str, int, str, str]:
    """Return the key that sorts findings by place, then by code."""
    return (finding.path, finding.line, finding.code, finding.found)


def ancestors(path: str) -> list[str]:
    """Return a path and every folder above it, nearest first."""
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]


def errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the errors that no waiver covers."""
    return [f for f in findings if f.severity == "error" and not f.waived]


def counted(n: int, what: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{n} {what}{'' if n == 1 else 's'}"


OF_ALL = re.compile(r", in (\d+) of \1 logs")  # what `among` says of all logs


def among(some: Sized, logs: Sized) -> str:
    """Return ", in 3 of 10 logs" if a finding in one log stands for several, else ""."""
    return f", in {len(some)} of {len(logs)} logs" if len(some) > 1 else ""


def listed(items: Sequence[str], most: int, mark: str = ", ") -> str:
    """Return the first items in a row, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return mark.join(items[:most]) + more


def why(error: OSError) -> str:
    """Return in words why a file could not be read."""
    return "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)


def show(value: Any, longest: int = LONGEST) -> str:
    """Return a submitted value as a finding repeats it: printable, on one line, at most `longest` characters."""
    text = value if isinstance(value, str) else repr(value)
    return printable(text if len(text) <= longest else text[: longest - 3] + "...")
