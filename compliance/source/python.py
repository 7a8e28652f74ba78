"""Parse a submitted file of Python, collect all that the checks need, and free the syntax tree. Nothing is executed.

A syntax tree takes 400 bytes for each byte of dense source, so there is a limit to what is parsed. A person must read a
larger file.
"""

import ast
import re
import warnings
from collections.abc import Iterator
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
    imports: tuple[tuple[int, int, str], ...] = ()  # (line, dots, module) of those that always run
    large: bool = False


def read_python(text: str, largest: int = LARGEST) -> Python:
    """Read a file of Python. Nothing is executed."""
    if len(text) > largest:
        return Python(large=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"))
            imports, module, lines = tuple(imports_of(tree)), gather(tree), LINES.split(text)
            del tree
        flow, uses = read_flow(module, lines), tuple(uses_of(module, lines))
        return Python(seeds=seeds_of(module, lines), flow=flow, uses=uses, imports=imports)
    except SyntaxError as error:
        return Python(max(1, error.lineno or 1), f"no Python: {error.msg}")
    except (RecursionError, MemoryError):
        return Python(1, "nested too deeply to be looked at")
    except (ValueError, OverflowError) as error:
        return Python(1, f"no Python: {error}")


def imports_of(tree: ast.Module) -> Iterator[tuple[int, int, str]]:
    """Yield (line, leading dots, module) of each import that runs whenever the file does. What is imported from a
    package may be a name in it, so that `from . import x` has none."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, 0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.level, node.module
