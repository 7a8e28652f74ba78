"""Logs that measure throughput only (`throughput_only`): samples per second over devices, as strong and weak scaling.

Such a log has no figure of merit and no rank. The logs of a series differ only in their number of units. In strong
scaling they share the global batch, in weak scaling the batch of a unit. They also share the precision, the settings
that change how a step is computed (`row.DEFAULTS`), and how samples are laid out over units: whole samples to each,
parts of samples, or both. A log with errors is listed but is in no series, unless `--as-logged` is given.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from results.runs.columns import Row
from results.statistics.result import Result
from results.tables.cells import Cell, Table, number, table_of
from results.tables.formatting import show
from results.tables.links import Links
from results.tables.record import heading

WAYS = {"data": "whole samples", "spatial": "parts of samples", "both": "both"}


@dataclass(frozen=True)
class Rate:
    """One log of a set. `rate` is samples per second."""

    of: Result
    row: Row
    units: float
    rate: float
    line: int

    @property
    def sound(self) -> bool:
        """Whether the log may be in a series."""
        return self.of.as_logged or not self.row.errors

    @property
    def computed(self) -> tuple[str, str]:
        """The precision, and the settings that differ from the default."""
        return self.row.precision or "", self.row.settings or ""

    @property
    def ways(self) -> tuple[str, ...]:
        """How samples are laid out over units. A log of one unit belongs to the series of every way."""
        if self.row.layout is None:
            return ("data",)
        data, parts = self.row.layout[0], math.prod(self.row.layout[1:])
        if data > 1 and parts > 1:
            return ("both",)
        return ("data",) if data > 1 else ("spatial",) if parts > 1 else tuple(WAYS)

    @property
    def shape(self) -> str:
        """The layout in words."""
        return "-" if self.row.layout is None else "x".join(map(str, self.row.layout))


@dataclass(frozen=True)
class Series:
    """Rates at different numbers of units, fewest first. `kind` is strong or weak; `batch` is what all share: the
    global batch (strong) or a unit's (weak)."""

    kind: str
    org: str
    system: str
    way: str
    precision: str
    settings: str
    batch: float
    rates: tuple[Rate, ...]

    @property
    def name(self) -> str:
        """What the logs of the series share, in words."""
        what = "batch" if self.kind == "strong" else "batch a unit"
        computed = "".join(f", {said}" for said in (self.precision, self.settings) if said)
        return f"{self.org} {self.system}, {WAYS[self.way]}{computed}, {what} {show(self.batch)}"

    def efficiency(self, rate: Rate) -> float:
        """The rate of a unit over the mean rate of a unit at the fewest units of the series."""
        fewest = [r.rate / r.units for r in self.rates if r.units == self.rates[0].units]
        return rate.rate / rate.units / fmean(fewest)


def rates(results: Iterable[Result]) -> list[Rate]:
    """The rates of all logs that measure throughput only, by system, units and layout."""
    found = [one(r, row) for r in results if r.throughput_only for row in r.rows]

    def place(f: Rate) -> tuple[Any, ...]:
        return f.of.org, f.of.system, *f.computed, f.units, f.row.layout or (), f.row.run.path

    return sorted(filter(None, found), key=place)


def one(r: Result, row: Row) -> Rate | None:
    """A log's rate, None if it has none. Units are ranks, one for each accelerator, if the layout is logged."""
    units, rate, measured = math.prod(row.layout) if row.layout else row.units, row.measured_rate, row.run.measured
    return Rate(r, row, units, rate, measured.line) if units and measured and rate and rate > 0 else None


def series(found: Sequence[Rate]) -> list[Series]:
    """Every series with two or more numbers of units, strong ones first."""
    grouped: dict[tuple[str, str, str, str, str, str, float], list[Rate]] = {}
    for rate in found:
        for way in rate.ways if rate.sound else ():
            batch = rate.row.batch or 0
            for kind, shared in (("strong", batch), ("weak", batch / rate.units)):
                key = (kind, rate.of.org, rate.of.system, way, *rate.computed, shared)
                if shared:
                    grouped.setdefault(key, []).append(rate)
    return [Series(*key, tuple(m)) for key, m in sorted(grouped.items()) if len({rate.units for rate in m}) > 1]


def rate_table(results: Sequence[Result], links: Links) -> Table:
    """The table of rates: a row for each log that measures throughput only."""
    found = rates(results)
    lines = series(found)
    columns: dict[str, Callable[[Rate], Cell]] = {
        "system": lambda r: Cell(r.of.system, below=r.of.org),
        heading("units"): lambda r: number(r.units),
        "layout": lambda r: Cell(r.shape),
        "precision": lambda r: Cell(r.row.precision or "-"),
        "settings": lambda r: Cell(r.row.settings or "-"),
        heading("batch"): lambda r: number(r.row.batch),
        heading("train_samples_per_second"): lambda r: number(r.rate, title=links.place(r.row.run.file, r.line)),
        heading("train_samples_per_second_per_unit"): lambda r: number(r.rate / r.units),
        "strong": lambda r: Cell(efficiencies(r, [s for s in lines if s.kind == "strong"])),
        "weak": lambda r: Cell(efficiencies(r, [s for s in lines if s.kind == "weak"])),
        "errors": lambda r: number(r.row.errors),
        "log": lambda r: Cell(r.row.run.file.name, href=links.to(r.row.run.file)),
    }
    return table_of(columns, found)


def efficiencies(rate: Rate, lines: Iterable[Series]) -> str:
    """A rate's efficiency in each of `lines` that it belongs to, in percent; "-" if none."""
    found = {f"{100 * s.efficiency(rate):.1f} %" for s in lines if rate in s.rates}
    return ", ".join(sorted(found)) or "-"
