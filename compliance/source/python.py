"""Parse a submitted file of Python, collect all that the checks need, and free the syntax tree. Nothing is executed.

A syntax tree takes 400 bytes for each byte of dense source, so there is a limit to what is parsed. A person must read a
larger file.
"""

import ast
import re
import warnings
from dataclasses import dataclass, field

from compliance.source.flow import Flow, read_flow
from compliance.source.module import gather
from compliance.source.seeds import Seeds, seeds_of
from compliance.source.uses import uses_of

LARGEST = 256 << 10  # characters that are parsed: a tree of 100 MB; the reference's largest file has 13 KiB
LINES = re.compile("\r\n|\r|\n")


@dataclass(frozen=True)
class Python:
    """A file of Python. `problem`: why it can't be parsed, in `line`. `large`: it exceeds the limit."""

    line: int = 1
    problem: str = ""
    seeds: Seeds = field(default_factory=Seeds)
    flow: Flow = field(default_factory=Flow)
    uses: tuple[tuple[int, str, str], ...] = ()  # (line, kind, its text)
    large: bool = False


def read_python(text: str, largest: int = LARGEST) -> Python:
    """Read a file of Python. Nothing is executed."""
    if len(text) > largest:
        return Python(large=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module, lines = gather(ast.parse(text.removeprefix("\ufeff"))), LINES.split(text)
        return Python(seeds=seeds_of(module, lines), flow=read_flow(module, lines), uses=tuple(uses_of(module, lines)))
    except SyntaxError as error:
        return Python(max(1, error.lineno or 1), f"no Python: {error.msg}")
    except (RecursionError, MemoryError):
        return Python(1, "nested too deeply to be looked at")
    except (ValueError, OverflowError) as error:
        return Python(1, f"no Python: {error}")
