"""Predicted times as tables: each system's at the batch sizes of its group, halfway between them, and at any other
batch size and number of devices that is asked for."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from results.statistics.predicted import Size, left_out, predicted, predicted_on, sizes
from results.statistics.result import Result
from results.tables.cells import Cell, Line, Table, number
from results.tables.formatting import interval, show
from results.tables.hardware import machine
from results.tables.words import title

MOST = 5  # batch sizes of a group with columns between them
ROWS = 60  # systems in a table
WHAT = "seconds without staging, predicted; * extrapolated"

Of = Callable[[Result], Any]
Predictions = list[tuple[str, Table | None, str]]
Place = tuple[int, int | None]  # a batch size and devices; None for as many as the system would use


def predictions(
    results: Sequence[Result], href: Of = lambda r: "", same: Of = machine, at: Sequence[Place] = ()
) -> Predictions:
    """(title, table, sentence) of each group of sets; no table for a single batch size, unless the places `at` are
    asked for. A row is what is the `same` system: its sizes, unless several of them ran one batch size."""
    found: Predictions = []
    usable = sorted((r for r in results if sizes([r])), key=lambda r: r.group)
    for group, members in groupby(usable, key=lambda r: r.group):
        of = list(members)
        everyone = sizes(of)
        if len(everyone) < 2 and not any(batch in everyone for batch, _ in at):
            said = f"Nothing can be predicted: all runs have a batch size of {next(iter(everyone)):,}."
            found.append((title(group, "predictions"), None, said))
            continue
        places, lines = [*((batch, None) for batch in columns(list(everyone))), *at], []
        for sets in systems(of, same)[:ROWS]:
            own, names = sizes(sets), " · ".join(dict.fromkeys(r.system for r in sets))
            name = Cell(names, below=sets[0].org, href=href(sets[0]))
            lines.append(Line([name, *(cell(everyone, own, place) for place in places)]))
        head = ["system", *map(named, places)]
        found.append((title(group, WHAT), Table(head, lines, cards=True), check(everyone)))
    return found


def columns(batches: Sequence[int]) -> list[int]:
    """The batch sizes, and those halfway between two of them on a logarithmic axis, if there are not too many."""
    between = [round(math.sqrt(a * b)) for a, b in pairwise(batches)] if len(batches) <= MOST else []
    return sorted({*batches, *between})


def systems(results: Sequence[Result], same: Of) -> list[list[Result]]:
    """The sets of each system. Where several sizes of one ran the same batch size, each size stands alone."""
    places = {(same(r), r.one("batch"), r.one("units")) for r in results}
    of_batch = Counter(place[:2] for place in places)
    apart = {key for (key, _), count in of_batch.items() if count > 1}
    made: dict[Any, list[Result]] = {}
    for r in results:
        made.setdefault((same(r), r.one("units") if same(r) in apart else None), []).append(r)
    return list(made.values())


def named(place: Place) -> str:
    """The heading of a place."""
    batch, devices = place
    return f"batch {batch:,}" + (f" on {devices:,}" if devices else "")


def cell(everyone: Mapping[int, Size], own: Mapping[int, Size], place: Place) -> Cell:
    """A time, with devices and interval below; a star where it is extrapolated."""
    batch, devices = place
    p = predicted_on(devices, everyone, own, batch) if devices else predicted(everyone, own, batch)
    if p is None:
        return number(None)
    ran = [size.devices for size in own.values()]
    inside = min(own) <= batch <= max(own) and (not devices or min(ran) <= devices <= max(ran))
    measured = batch in own and own[batch].devices == p.devices
    what = "measured" if measured else interval(p.low, p.high)
    return number(p.seconds, f"{show(p.seconds)}{'' if inside else ' *'}", below=f"on {p.devices:,}: {what}")


def check(everyone: Mapping[int, Size]) -> str:
    """How well batch sizes between others predict themselves; "" below three."""
    found = [f"{100 * (ratio - 1):+.0f} % at {batch:,}" for batch, ratio in left_out(everyone).items()]
    said = "Predicted from the other batch sizes alone, samples to the target are off by"
    return f"{said} {', '.join(found)}." if found else ""
