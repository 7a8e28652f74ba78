"""Strangers' text made safe for each place where it is written: names, values and paths of submissions.

Everything that writes them uses these functions, one for each kind of place. `printable` is for a terminal, and for
JSON, SARIF and XML, whose writers do the rest.
"""

import html as _html
import re
from typing import Any
from urllib.parse import quote

from benchmark.printable import printable

__all__ = [
    "address",
    "command",
    "command_property",
    "csv_cell",
    "html",
    "markdown",
    "markdown_code",
    "printable",
    "values",
]

SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"  # what begins a formula in a spreadsheet, also in their wide forms
FORMULA = re.compile(f"(^|;)(?=\\s*[{SIGNS}])")  # spreadsheets of some languages take a semicolon for a new cell
MARKUP = re.compile(r"[\\`*_\[\]|#~$@!]")
BLOCK = re.compile(r"^(?=[-+]\s|[-=][-= ]+$|=$)")  # what would begin a list, a rule or a heading
NUMBERED = re.compile(r"^(\d{1,9})(?=[.)](\s|$))")
LINK = re.compile(r"(?i)(?<=www)(?=\.)|(?<=/)(?=/)")  # what GitHub would make a link of
NOT_OF_A_FILE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # surrogates that stand for no byte of a file's name


def values(value: Any) -> Any:
    """A value of lists, dicts and plain values for JSON, whose every text is printable: who reads it may print it."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {values(name): values(inner) for name, inner in value.items()}
    return [values(inner) for inner in value] if isinstance(value, list | tuple) else value


def csv_cell(value: Any) -> Any:
    """A cell of a table that a spreadsheet may open: no text is a formula."""
    return FORMULA.sub(r"\1'", printable(value)) if isinstance(value, str) else value


def markdown(text: str) -> str:
    """Text for Markdown, also GitHub's, in a table, a heading or a list: no markup, link or mention is in it."""
    text = printable(text).strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = LINK.sub(r"\\", MARKUP.sub(r"\\\g<0>", text))
    return NUMBERED.sub(r"\1\\", BLOCK.sub(r"\\", text))


def markdown_code(text: str) -> str:
    """Text as code in Markdown, whatever is in it."""
    return f"`{printable(text).replace('`', chr(0x2BC)) or ' '}`"


def html(value: Any) -> str:
    """Text for HTML and SVG, also for an attribute in double quotes."""
    return _html.escape(printable(str(value)))


def address(path: str) -> str:
    """A path for a link: the bytes of its name, those that nobody can print, colons and the like percent-encoded."""
    return quote(NOT_OF_A_FILE.sub("\ufffd", path).encode(errors="surrogateescape"))


def command(text: str) -> str:
    """The message of a workflow command of GitHub Actions."""
    return printable(text).replace("%", "%25")


def command_property(text: str) -> str:
    """A property of such a command."""
    return command(text).replace(":", "%3A").replace(",", "%2C")
