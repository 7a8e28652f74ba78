"""Excerpts of files for a page, so that readers need not open the file.

Files come from strangers. Only regular files inside of what was checked are opened, and at most MOST bytes are read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmark.log import open_regular
from compliance.verdict import SetVerdict
from results.differences import has_contact
from results.tables import formatting

MOST = 64 << 20  # bytes read of a file
BLOCK = 1 << 16  # bytes of a line that are read at a time
SHOWN = 320  # characters of a line


@dataclass(frozen=True)
class Line:
    """A line of an excerpt; `meant` is the line that the finding names."""

    number: int
    text: str
    meant: bool = False


def home(runs: SetVerdict) -> Path:
    """The folder of the set's submission, or its own folder: nothing outside of it is shown."""
    return Path(runs.submission) if runs.submission else runs.folder


def excerpts(path: Path, home: Path, lines: Iterable[int], around: int) -> dict[int, list[Line]]:
    """{line: the line with up to `around` lines on either side} for those of `lines` that the file has. {} if the file
    cannot be read, or lies outside of `home` when links are followed."""
    near = {line: range(max(1, line - around), line + around + 1) for line in lines if line >= 1}
    if not near or not path.resolve().is_relative_to(home.resolve()):
        return {}
    found = read_lines(path, {n for numbers in near.values() for n in numbers})
    return {
        line: [Line(n, found[n], n == line) for n in numbers if n in found]
        for line, numbers in near.items()
        if line in found
    }


def read_lines(path: Path, wanted: set[int]) -> dict[int, str]:
    """{number: text} of the wanted lines, cut to SHOWN characters; {} if the file cannot be read."""
    found: dict[int, str] = {}
    try:
        with open_regular(path) as file:
            number, left, last, begins = 1, MOST, max(wanted), True
            while number <= last and left > 0 and (part := file.readline(BLOCK)):
                left -= len(part)
                if begins and number in wanted:
                    found[number] = cut(part.rstrip(b"\r\n").decode(errors="replace"))
                begins = part.endswith(b"\n")
                number += begins
    except (OSError, ValueError):
        return {}
    return found


def cut(text: str) -> str:
    """A line as it is shown: shortened, and without contacts."""
    return "[contact]" if has_contact(text) else formatting.cut(text, SHOWN)
