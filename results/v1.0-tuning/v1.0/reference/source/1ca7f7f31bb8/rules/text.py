"""The texts of the rules: texts/<FAMILY>.md, a heading `## CODE Sentence` for each rule and its reason below it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## ([A-Z]{2,4}\d{2}) (.*\S)\s*$")
BY_REVIEW = "(by review)"


@dataclass(frozen=True)
class Rule:
    """A rule: its code, its sentence, the text below (the reason, and where it helps how to mend it and examples), and
    where its heading stands."""

    code: str
    sentence: str
    reason: str
    path: Path
    line: int

    @property
    def by_review(self) -> bool:
        """Whether only people can check it."""
        return self.sentence.endswith(BY_REVIEW)

    @property
    def place(self) -> str:
        """path:line of the heading, within the repository where it is there."""
        inside = self.path.is_relative_to(REPOSITORY)
        return f"{self.path.relative_to(REPOSITORY).as_posix() if inside else self.path}:{self.line}"


def read_texts(folder: Path) -> dict[str, Rule]:
    """The rules of all families, by code. Raises ValueError, naming file and line, for a code that is given twice or
    stands in another family's file, a heading that is none, or a rule without a reason."""
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
