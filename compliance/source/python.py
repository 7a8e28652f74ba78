"""Parse a submitted file of Python, collect all that the checks need, and free the syntax tree. Nothing is executed.

A syntax tree takes 400 bytes for each byte of dense source, so there is a limit to what is parsed. A larger file is
searched for suspicious words, and a person must read it.
"""

import ast
import bisect
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compliance.source.flow import Flow, read_flow
from compliance.source.module import gather
from compliance.source.seeds import ANYBODYS, Seeds, seeds_of
from compliance.source.uses import uses_of

LARGEST = 256 << 10  # characters that are parsed: a tree of 100 MB; the reference's largest file has 13 KiB
LINES = re.compile("\r\n|\r|\n")
SEEDS = re.compile(rf"(?i:seed)\w{{0,40}}[ \t]{{0,9}}\(|{ANYBODYS}|set_(?:rng_)?state")
USES = re.compile(
    r"(?<!\w)(?:(?:exec|eval|compile|getattr|setattr|__import__|import_module|globals|vars)[ \t]{0,9}\("
    r"|(?:subprocess|socket|ctypes|cffi|pickle|joblib|safetensors|urllib|requests|os\.system|os\.popen|torch\.load"
    r"|(?:np|numpy)\.load|clock_settime|__builtins__|__dict__)(?!\w))"
)
MOST_WORDS = 1000  # places that are recorded in a file that is only searched


@dataclass(frozen=True)
class Python:
    """A file of Python. `problem`: why it can't be parsed, in `line`. `large`: it exceeds the limit and was only
    searched; `seeders` are then the lines that may seed something."""

    line: int = 1
    problem: str = ""
    seeds: Seeds = field(default_factory=Seeds)
    flow: Flow = field(default_factory=Flow)
    uses: tuple[tuple[int, str, str], ...] = ()  # (line, kind, its text)
    large: bool = False
    seeders: tuple[tuple[int, str], ...] = ()


def read_python(text: str, largest: int = LARGEST) -> Python:
    """Read a file of Python. Nothing is executed."""
    if len(text) > largest:
        return _searched(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _parsed(ast.parse(text.removeprefix("\ufeff")), LINES.split(text))
    except SyntaxError as error:
        return Python(max(1, error.lineno or 1), f"no Python: {error.msg}")
    except (RecursionError, MemoryError):
        return Python(1, "nested too deeply to be looked at")
    except (ValueError, OverflowError) as error:
        return Python(1, f"no Python: {error}")


def _parsed(tree: ast.Module, lines: Sequence[str]) -> Python:
    module = gather(tree)
    return Python(
        seeds=seeds_of(tree, module, lines), flow=read_flow(module, lines), uses=tuple(uses_of(module, lines))
    )


def _searched(text: str) -> Python:
    starts = [0, *(match.end() for match in LINES.finditer(text))]

    def places(pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
        for number, match in enumerate(pattern.finditer(text)):
            if number >= MOST_WORDS:
                return
            yield bisect.bisect_right(starts, match.start()), match[0].rstrip("( \t\f")[:100]

    uses = tuple((line, "may do what must be looked at", word) for line, word in places(USES))
    return Python(large=True, uses=uses, seeders=tuple(places(SEEDS)))
