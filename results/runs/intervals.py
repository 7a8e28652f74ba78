"""Dividing time among kinds of spans, in whole milliseconds: exact, so that parts add up to their total."""

import math
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from compliance.reading.series import Span

REST = "rest"


def union(spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans, in order, that cover the same time. Empty and backward spans are dropped."""
    merged: list[Span] = []
    for start, stop in sorted(s for s in spans if s[1] > s[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged


def divide(window: Span, kinds: Mapping[str, Iterable[Span]]) -> dict[str, list[Span]]:
    """{kind: disjoint spans inside the window, in order}; the time in no span is REST. The given spans may overlap,
    nest and reach out of the window. Time in several kinds counts for the first of them."""
    covered = {kind: union(spans) for kind, spans in kinds.items()}
    edges = {edge for spans in covered.values() for span in spans for edge in span if window[0] < edge < window[1]}
    found: dict[str, list[Span]] = {kind: [] for kind in (*kinds, REST)}
    for start, stop in pairwise(sorted(edges | {*window})):
        kind = next((kind for kind, spans in covered.items() if holds(spans, start)), REST)
        found[kind].append((start, stop))
    return {kind: union(pieces) for kind, pieces in found.items()}


def holds(spans: Sequence[Span], moment: int) -> bool:
    """Whether one of disjoint spans in order holds a moment; its stop is no part of a span."""
    before = bisect(spans, (moment, math.inf))
    return before > 0 and moment < spans[before - 1][1]


def length(spans: Iterable[Span]) -> int:
    """The milliseconds that disjoint spans cover."""
    return sum(b - a for a, b in spans)
