"""Read the texts of the rules: texts/<FAMILY>.md. Each rule has a heading `## CODE Sentence`, then `Finding:` with what
is wrong where it is broken, the reason, and `Fix:` with what to do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## ([A-Z]{2,4}\d{2}) (.*\S)\s*$")
FINDING = re.compile(r"^Finding: (.*?)\.?(?:\n\n|\Z)", re.DOTALL)
FIX = re.compile(r"^Fix: (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
BY_REVIEW = "(by review)"


@dataclass(frozen=True)
class Rule:
    """A rule: its code, its sentence, the text below (what a finding says, the reason, how to fix a fault, examples),
    and the place of its heading."""

    code: str
    sentence: str
    reason: str
    path: Path
    line: int

    @property
    def by_review(self) -> bool:
        """Whether only people can judge it."""
        return self.sentence.endswith(BY_REVIEW)

    @cached_property
    def finding(self) -> str:
        """What is wrong where the rule is broken, in one sentence; the rule's own sentence if the text does not say."""
        match = FINDING.match(self.reason)
        return " ".join(match[1].split()) if match else self.sentence

    @cached_property
    def fix(self) -> str:
        """What to do where the rule is broken, in one or a few sentences; "" if the text does not say."""
        match = FIX.search(self.reason)
        return " ".join(match[1].split()) if match else ""

    @property
    def place(self) -> str:
        """The heading's path:line, relative to the repository if it lies in it."""
        inside = self.path.is_relative_to(REPOSITORY)
        return f"{self.path.relative_to(REPOSITORY).as_posix() if inside else self.path}:{self.line}"


def read_texts(folder: Path) -> dict[str, Rule]:
    """Return the rules of all families by code. Raises ValueError with file and line for a code that is given twice or
    in another family's file, a malformed heading, or a rule without a reason."""
    rules: dict[str, Rule] = {}
    for path in sorted(folder.glob("*.md")):
        for rule in _read(path):
            if rule.code in rules:
                raise ValueError(f"{rule.place}: rule {rule.code} is given twice, first at {rules[rule.code].place}")
            if not rule.code.startswith(path.stem):
                raise ValueError(f"{rule.place}: found {rule.code}, wanted a rule of the family {path.stem}")
            if not rule.reason:
                raise ValueError(f"{rule.place}: rule {rule.code} has no reason")
            rules[rule.code] = rule
    return rules


def _read(path: Path) -> Iterator[Rule]:
    lines = path.read_text(encoding="utf-8").splitlines()
    headings = [number for number, line in enumerate(lines) if line.startswith("## ")]
    for start, end in zip(headings, [*headings[1:], len(lines)], strict=True):
        match = HEADING.match(lines[start])
        if not match:
            raise ValueError(f"{path}:{start + 1}: found {lines[start]!r}, wanted ## CODE Sentence")
        yield Rule(match[1], match[2], "\n".join(lines[start + 1 : end]).strip(), path, start + 1)
