"""Escape submitted text (names, values and paths) for the place where it is written: one function for each place. And
write to stdout and stderr.

All code that writes submitted text uses them. `printable` is for a terminal, and for JSON and SARIF, whose writers
do the rest.
"""

import html as _html
import re
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from benchmark.printable import printable as printable
from benchmark.writing import put as put

SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"  # these begin a formula in a spreadsheet; also their full-width forms
FORMULA = re.compile(f"(^|;)(?=\\s*[{SIGNS}])")  # spreadsheets of some languages take a semicolon for a new cell
MARKUP = re.compile(r"[\\`*_\[\]|#~$@!]")
BLOCK = re.compile(r"^(?=[-+]\s|[-=][-= ]+$|=$)")  # begins a list, a rule or a heading
NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](\s|$))")
LINK = re.compile(r"(?i)(?<=www)(?=\.)|(?<=/)(?=/)")  # GitHub makes links of these
NOT_OF_A_FILE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a file name


def values(value: Any) -> Any:
    """Return a JSON value with every text in it made printable, so that its reader may print it."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {values(name): values(inner) for name, inner in value.items()}
    return [values(inner) for inner in value] if isinstance(value, list | tuple) else value


def csv_cell(value: Any) -> Any:
    """Return a value for a cell of a CSV table, so that no spreadsheet takes text for a formula."""
    return FORMULA.sub(r"\1'", printable(value)) if isinstance(value, str) else value


def markdown(text: str) -> str:
    """Return text for a table, heading or list in Markdown, also GitHub's, without markup, links or mentions."""
    text = printable(text).strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = LINK.sub(r"\\", MARKUP.sub(r"\\\g<0>", text))
    return NUMBERED.sub(r"\1\\", BLOCK.sub(r"\\", text))


def html(value: Any) -> str:
    """Return text for HTML and SVG, also for an attribute in double quotes."""
    return _html.escape(printable(str(value)))


def address(path: str) -> str:
    """Return a path for a link, percent-encoded."""
    return quote(NOT_OF_A_FILE.sub("\ufffd", path).encode(errors="surrogateescape"))


def command(text: str) -> str:
    """Return text for the message of a workflow command of GitHub Actions."""
    return printable(text).replace("%", "%25")


def command_property(text: str) -> str:
    """Return text for a property of such a command."""
    return command(text).replace(":", "%3A").replace(",", "%2C")


def tell(line: str) -> None:
    """Write a line to stderr, if there is one."""
    if sys.stderr is not None:
        print(printable(line), file=sys.stderr)


def progress() -> Callable[[int, int], None] | None:
    """Return a function that shows on stderr how many of all logs are done, None if stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if done % 16 == 0 or done == total:
            line = f"{done} of {total} logs" if done < total else f"{' ' * 40}\r"
            print(f"\r{line}", end="", file=sys.stderr, flush=True)

    return show
