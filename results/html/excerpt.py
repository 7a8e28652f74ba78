"""Lines of files that are shown in a page, so that nobody needs the file.

Files come from strangers: none outside of what was checked is opened, nor one that is no regular file, and no more is
read than MOST bytes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmark.log import open_regular
from compliance.verdict import SetVerdict

MOST = 64 << 20  # bytes read of a file
BLOCK = 1 << 16  # bytes of a line that are read at a time
SHOWN = 320  # characters of a line
CONTACT = "_poc_"  # in keys of whom to write to, which are shown nowhere


@dataclass(frozen=True)
class Line:
    """A line of a file; `meant` is the one that an excerpt is about."""

    number: int
    text: str
    meant: bool = False


def home(runs: SetVerdict) -> Path:
    """The folder outside of which nothing of a set is shown: its submission's, or its own."""
    return Path(runs.submission) if runs.submission else runs.folder


def excerpts(path: Path, home: Path, lines: Iterable[int], around: int) -> dict[int, list[Line]]:
    """For each of the lines, from 1, that a file has: itself and up to `around` lines on either side. {} where the file
    doesn't lie in `home`, links followed, or can't be read."""
    wanted = {line for line in lines if line >= 1}
    if not wanted or not path.resolve().is_relative_to(home.resolve()):
        return {}
    found = read_lines(path, {n for line in wanted for n in range(max(1, line - around), line + around + 1)})
    return {
        line: [Line(n, found[n], n == line) for n in range(line - around, line + around + 1) if n in found]
        for line in wanted
        if line in found
    }


def read_lines(path: Path, wanted: set[int]) -> dict[int, str]:
    """Those lines of a file that it has, cut to what is shown."""
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
    if CONTACT in text:
        return "[contact]"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
