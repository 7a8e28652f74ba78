"""Tables of a page: cells that are text, with what they are sorted by."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from results.html.numbers import grouped
from results.statistics.standing import Standing


@dataclass(frozen=True)
class Cell:
    """A cell. A number is sorted by its `value`, which may be missing. `below` is a second line, `href` where it leads,
    `title` what is said where one points at it, `tone` the colour of a word."""

    text: str = ""
    value: float | None = None
    numeric: bool = False
    below: str = ""
    href: str = ""
    title: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Line:
    """A row of cells, with what it is found by (`facts`: organisation, division, ...), and whether it is less
    important."""

    cells: Sequence[Cell]
    faint: bool = False
    facts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """`cards`: a phone shows each row as a card."""

    head: Sequence[str]
    lines: Sequence[Line]
    sortable: bool = True
    cards: bool = False

    @property
    def numeric(self) -> list[bool]:
        """By column, whether all its cells are numbers."""
        return [bool(self.lines) and all(line.cells[i].numeric for line in self.lines) for i in range(len(self.head))]


def number(value: float | None, text: str | None = None, **rest: Any) -> Cell:
    """A number's cell; "-" where there is none."""
    value = None if value is None or value != value else float(value)
    return Cell(grouped(value) if text is None or value is None else text, value, True, **rest)


def tone(standing: Standing) -> str:
    """The class of a standing's colour."""
    if standing.errors:
        return "bad"
    return "look" if standing.reviews or standing.pruned_errors or standing.waived else "clean"


def verdict(standing: Standing) -> Cell:
    """The standing in a word and a colour."""
    return Cell(standing.word, tone=tone(standing))
