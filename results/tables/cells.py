"""Tables of cells, from which pages, text and Markdown are made: what a cell says and what a column is sorted by."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from results.statistics.standing import Standing
from results.tables.formatting import show

Row = TypeVar("Row")


@dataclass(frozen=True)
class Cell:
    """A cell. A numeric one is sorted by `value`, which may be None. `below` is a second line, `href` the target of a
    link, `title` the text shown on hovering, `tone` the class of a word's colour."""

    text: str = ""
    value: float | None = None
    numeric: bool = False
    below: str = ""
    href: str = ""
    title: str = ""
    tone: str = ""

    @property
    def words(self) -> str:
        """Both lines as one."""
        return f"{self.text} ({self.below})" if self.below else self.text


@dataclass(frozen=True)
class Line:
    """A row of cells. `facts` are the values that the page filters by (organisation, division, verdict); a `faint` row
    is less important."""

    cells: Sequence[Cell]
    faint: bool = False
    facts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table. With `cards`, a narrow screen shows each row as a card. A terminal leaves out the columns headed `wide`.
    Hovering over a heading says what it means, if `meanings` has it."""

    head: Sequence[str]
    lines: Sequence[Line]
    sortable: bool = True
    cards: bool = False
    wide: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def numeric(self) -> list[bool]:
        """Whether all cells of each column are numbers."""
        return [bool(self.lines) and all(line.cells[i].numeric for line in self.lines) for i in range(len(self.head))]

    @property
    def words(self) -> list[list[str]]:
        """The head, then the rows, as text."""
        return [list(self.head), *([cell.words for cell in line.cells] for line in self.lines)]

    @property
    def narrow(self) -> list[list[str]]:
        """The same for a terminal."""
        kept = [i for i, name in enumerate(self.head) if not name or name != self.wide]
        return [[row[i] for i in kept] for row in self.words]


def table_of(
    columns: Mapping[str, Callable[[Row], Cell]],
    rows: Iterable[Row],
    facts: Callable[[Row], dict[str, str]] = lambda row: {},
    wide: str = "",
    cards: bool = True,
) -> Table:
    """A table with the cell that follows from each row under each heading. `facts` are what a row is filtered by."""
    lines = [Line([cell(row) for cell in columns.values()], facts=facts(row)) for row in rows]
    return Table(list(columns), lines, cards=cards, wide=wide)


def number(value: float | None, text: str | None = None, **rest: Any) -> Cell:
    """The cell of a number, "-" for None or NaN; `text` replaces the default form."""
    value = None if value is None or value != value else float(value)
    return Cell(show(value) if text is None or value is None else text, value, True, **rest)


def tone(standing: Standing) -> str:
    """The class of a standing's colour: bad, look or clean."""
    if standing.errors:
        return "bad"
    return "look" if standing.reviews or standing.pruned_errors or standing.waived else "clean"


def verdict(standing: Standing) -> Cell:
    """The cell of a standing: its word in its colour."""
    return Cell(standing.word, tone=tone(standing))
