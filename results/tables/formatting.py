"""Numbers and tables as text for a reader."""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compliance.safe import csv_cell, markdown, printable

MOST_DECIMALS = 6
MOST_OF_RATIO = 3  # decimals
MOST_DIGITS = 5  # of a value, however small its error
# A cell that is a number, a fraction such as 5/5, a range such as 1-2 or 2 to 3, or "-", also with a second line
NUMBER = re.compile(r"(<= )?[-+]?\d[\d.,/-]*( to -?\d[\d.,]*)?( %)?( \(.*\))?|-|never")
Tables = Iterable[tuple[str, Sequence[Sequence[str]]]]  # (title, rows with the head first)


def show(value: float | None, decimals: int | None = None) -> str:
    """A number with thousands separated. By default whole numbers have no decimals, others four significant digits; "-"
    for None and NaN, "never" for infinity."""
    if value is None or value != value:
        return "-"
    if math.isinf(value):
        return "never"
    if decimals is None:
        decimals = 0 if float(value).is_integer() else decimals_of(abs(value) / 100)
    return f"{value:,.{decimals}f}"


def cut(text: str, most: int) -> str:
    """A text of at most so many characters; dots stand for what is cut off."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def minutes(seconds: float | None) -> str:
    """Seconds as minutes to two decimals, as MLPerf HPC publishes them; "-" for None."""
    return "-" if seconds is None else show(seconds / 60, 2)


def decimals_of(error: float | None) -> int:
    """The decimals that show two significant digits of an error; 2 without an error."""
    if not error or not math.isfinite(error):
        return 2
    return max(0, min(MOST_DECIMALS, 1 - math.floor(math.log10(error))))


def needed(value: float, error: float | None) -> int:
    """The decimals of a value that its error needs, for MOST_DIGITS digits in all at most."""
    return min(decimals_of(error), decimals_of(abs(value) * 10 ** (2 - MOST_DIGITS)))


def with_error(value: float | None, error: float | None) -> str:
    """A mean, with as many digits as its standard deviation, or half its interval, needs."""
    return show(value) if value is None or not error else show(value, needed(value, error))


def plus_minus(value: float | None, error: float | None) -> str:
    """A mean and its error: "28.9 ± 1.2", with fewer digits of the error where the mean has no more."""
    if value is None or not error:
        return show(value)
    return f"{with_error(value, error)} ± {show(error, max(needed(value, error), decimals_of(error) - 1))}"


def interval(low: float | None, high: float | None) -> str:
    """An interval in words: "25.6 to 32.2", with the digits that half its width needs; "" without one."""
    if low is None or high is None:
        return ""
    decimals = needed(high, (high - low) / 2)
    return f"{show(low, decimals)} to {show(high, decimals)}"


def times(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A ratio with the digits that its interval needs, three significant ones without; at most MOST_OF_RATIO decimals,
    since what changes a time by less matters to nobody. "-" for None."""
    if value is None or (low is None and float(value).is_integer()):
        return show(value)
    half = None if low is None or high is None else (high - low) / 2
    decimals = decimals_of(abs(value) / 10) if half is None else needed(value, half)
    return show(value, min(MOST_OF_RATIO, decimals))


def times_between(low: float | None, high: float | None) -> str:
    """The interval of a ratio: "1.05 to 1.15"."""
    return f"{times(low, low, high)} to {times(high, low, high)}"


def quality(value: float | None, target: Any) -> str:
    """A score to four decimals, or to as many as tell it from a target that it misses or exceeds."""
    if value is None or not math.isfinite(value):
        return "-"
    if not isinstance(target, int | float) or value == target:
        return f"{value:.4f}"
    return next((s for d in range(4, 17) if (s := f"{value:.{d}f}") != f"{target:.{d}f}"), repr(value))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table for a terminal, head first. Columns have the width of their widest cell; columns of numbers
    are aligned to the right. Control characters are shown."""
    widths = [max(len(printable(row[i])) for row in rows) for i in range(len(rows[0]))]
    right = [all(NUMBER.fullmatch(row[i]) for row in rows[1:]) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            printable(c).rjust(w) if r else printable(c).ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown; the cells of its rows are escaped."""
    lines = [head, ["---"] * len(head), *([markdown(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def text_of(tables: Tables, none: str) -> str:
    """Tables for a terminal; `none` where there is no table."""
    parts = ["\n".join([printable(title), *aligned(rows)]) for title, rows in tables]
    return "\n\n".join(parts) + "\n" if parts else none


def markdown_of(tables: Tables) -> str:
    """Tables in Markdown."""
    made = ([f"### {markdown(title)}", "", *markdown_table(head, rows), ""] for title, (head, *rows) in tables)
    return "\n".join(line for lines in made for line in lines)


def finite(value: Any) -> Any:
    """The value, None if it is NaN or infinite: CSV and JSON have no such numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def csv_of(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """CSV of rows given as {column: value}, under the names of the columns; other values are left out."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(finite(value)) for name, value in row.items()} for row in rows)
    return out.getvalue()
