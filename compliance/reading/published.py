"""The published source: which file of it a submitted file is compared with, which of its lines the submitted one keeps,
and whether both are the same program."""

import ast
import functools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from compliance.reading.source import SHARED, depth_of
from rules.published import IMPLEMENTATIONS, REFERENCE, REPOSITORY, own_files, place

# Files in which few lines change the mathematics or the clock:
SENSITIVE = re.compile(
    r"(benchmark|implementations/pytorch)/(.*/)?(average|blocks|clock|conv|dice_by_sample|evaluate|fingerprint|gradients"
    r"|lamb|log|loss|metric|model|norm|order|process|reader|run|schedule|seeds|step|stop|task)\.py"
    r"|implementations/minimal/train\.py"
)
TOPS = (IMPLEMENTATIONS, "benchmark", "rules")
LARGEST = 64 << 10  # characters of a file that is compared as a program


def published_path(parts: tuple[str, ...]) -> str:
    """Return the path of the published file with which a submitted file is compared, "" for a file in no folder of
    source. `parts` are those of its path below the submission."""
    depth = depth_of(parts)
    if not depth:
        return ""
    path = "/".join(parts[depth:])
    return place(path) if parts[0] == SHARED or parts[depth] in TOPS else f"{REFERENCE}/{path}"


@functools.lru_cache(maxsize=1000)
def published_text(path: str) -> str | None:
    """Return the text of a published file, None if this tree has none."""
    return Path(REPOSITORY, path).read_text(encoding="utf-8") if path in own_files() else None


def kept(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Return {line of the submitted file: line of the published one} of the lines that stayed, both from 1 on.

    Lines that each file has once hold it together, as long as they are in the same order. From these, the start and the
    end, equal neighbours are kept. So the time doesn't grow with the square of the lines, whatever a file holds.
    """
    pairs = {-1: -1, **_anchors(before, after), len(after): len(before)}
    for step in (1, -1):
        taken = set(pairs.values())
        for at in sorted(pairs, key=lambda at: step * at):
            line, other = at + step, pairs[at] + step
            while 0 <= line < len(after) and 0 <= other < len(before) and line not in pairs and other not in taken:
                if after[line] != before[other]:
                    break
                pairs[line] = other
                taken.add(other)
                line, other = line + step, other + step
    return {at + 1: pairs[at] + 1 for at in sorted(pairs) if 0 <= at < len(after)}


def _anchors(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    """Return the longest row of lines that both files have once, in the same order."""
    once, twice = Counter(before), Counter(after)
    places = {text: at for at, text in enumerate(before) if once[text] == 1}
    pairs = [(at, places[text]) for at, text in enumerate(after) if twice[text] == 1 and text in places]
    ends: list[int] = []  # the least place at which a row of each length ends
    held: list[int] = []  # the pair there
    earlier: dict[int, int] = {}
    for number, (_, line) in enumerate(pairs):
        length = bisect_left(ends, line)
        ends[length : length + 1] = [line]
        held[length : length + 1] = [number]
        earlier[number] = held[length - 1] if length else -1
    found, number = {}, held[-1] if held else -1
    while number >= 0:
        at, line = pairs[number]
        found[at] = line
        number = earlier[number]
    return found


def same_program(before: str, after: str) -> bool:
    """Return whether two files of Python differ in comments and layout alone."""
    if max(len(before), len(after)) > LARGEST:
        return False
    try:
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False
