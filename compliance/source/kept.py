"""Which lines of a published file a submitted one keeps, and whether it is the same program."""

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

LARGEST = 64 << 10  # characters of a file that is compared as a program


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
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        held[length : length + 1] = [number]
        earlier[number] = held[length - 1] if length else -1
    found, number = {}, held[-1] if held else -1
    while number >= 0:
        at, place = pairs[number]
        found[at] = place
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
