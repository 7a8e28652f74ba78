"""Unions of time intervals, in whole milliseconds: exact, so that parts add up to their total."""

from collections.abc import Iterable

from compliance.reading.series import Span


def union(spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans, in order, that cover the same time. Empty and backward spans are dropped."""
    merged: list[Span] = []
    for start, stop in sorted(s for s in spans if s[1] > s[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged


def clip(spans: Iterable[Span], window: Span) -> list[Span]:
    """The part of disjoint spans inside `window`."""
    low, high = window
    cut = ((max(a, low), min(b, high)) for a, b in spans)
    return [s for s in cut if s[1] > s[0]]


def subtract(spans: list[Span], taken: list[Span]) -> list[Span]:
    """The part of `spans` outside `taken`. Both are disjoint and in order."""
    left: list[Span] = []
    i = 0
    for start, stop in spans:
        while i < len(taken) and taken[i][1] <= start:
            i += 1
        j = i
        while j < len(taken) and taken[j][0] < stop:
            if taken[j][0] > start:
                left.append((start, taken[j][0]))
            start = max(start, taken[j][1])
            j += 1
        if start < stop:
            left.append((start, stop))
    return left


def length(spans: Iterable[Span]) -> int:
    """The milliseconds that disjoint spans cover."""
    return sum(b - a for a, b in spans)
