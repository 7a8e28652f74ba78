"""The charts of one set of runs, or of several sets side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from compliance.reading.run import Run
from results.html.specs import COLOURS, DASHES, SHAPES
from results.runs.curve import points
from results.runs.decomposition import PARTS, is_beside, kinds
from results.tables.formatting import show

MOST = 40  # runs of a set in a chart
POINTS = 400  # points of a curve
SPANS = 6000  # spans of a timeline
BESIDE = (
    "Evaluations run beside training: time with both is drawn as evaluation here, and counts as training elsewhere."
)
HOW = "Shift and the wheel zoom, dragging moves; from the keyboard + - and arrows; 0 shows everything again."


@dataclass(frozen=True)
class Rows:
    """A table of a chart's data: the names of its columns, and its rows."""

    cols: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Chart:
    """A chart of a page: a kind of `specs.SPECS`, caption, looks of the series, data, and a note below."""

    kind: str
    caption: str
    keys: Sequence[dict[str, Any]]
    tables: dict[str, Rows]
    note: str = ""
    marks: str = "line"  # what a legend shows of a series: line, shape or block
    log: bool = False  # whether the axis that readers may make logarithmic begins so
    sets: Sequence[str] = ()  # the anchors of its sets, for filters

    @property
    def content(self) -> dict[str, Any]:
        """The chart as the JSON that `report.js` draws."""
        tables = {name: {"cols": t.cols, "rows": t.rows} for name, t in self.tables.items()}
        return {"kind": self.kind, "keys": self.keys, "marks": self.marks, "log": self.log, "tables": tables}


@dataclass(frozen=True)
class Side:
    """Runs that are drawn in one look: a set among others, or one run of a set."""

    name: str
    runs: Sequence[Run]
    kept: frozenset[str] = field(default_factory=frozenset)  # paths of the runs that the figure of merit averages


def key(i: int, name: str) -> dict[str, Any]:
    """The look of series number i: name, colour, dash and shape."""
    return {"name": name, "c": i % COLOURS, "d": i // COLOURS % DASHES, "h": i % SHAPES}


def sample(items: Sequence[Any], most: int = MOST) -> list[Any]:
    """The items, or `most` of them evenly spaced, with the first and the last."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def tenfold(values: Sequence[float]) -> bool:
    """Whether values, all above 0, span a factor of ten: an axis of them is then logarithmic."""
    return bool(values) and min(values) > 0 and max(values) >= 10 * min(values)


def name_of(run: Run) -> str:
    """A run's number, or its file's name."""
    return run.file.stem.removeprefix("result_")[:40]


def curves(sides: Sequence[Side], target: Any, band: Sequence[float] = (), most: int = POINTS) -> Chart | None:
    """The metric over epochs, or over passes where logs count samples, a line for each run, with the target and a band
    of the reference's epochs. `most` limits the points of a line. None without values."""
    rows, lines = [], 0
    for s, side in enumerate(sides):
        for run in side.runs:
            start = run.start_ms
            for x, e in sample(points(run), most):
                seconds = None if start is None else (e.time_ms - start) / 1000
                which = name_of(run) if len(side.runs) > 1 else ""
                rows.append((s, lines, which, round(x, 4), e.value, e.line, seconds))
            lines += 1
    if not rows:
        return None
    first = next(run for side in sides for run in side.runs)
    over = "epochs" if first.samples is None else "passes over the training data"
    goal = [(target,)] if isinstance(target, int | float) else []
    told = [f"Dashed: the target, {target:g}."] if goal else []
    if band:
        told.append(f"Shaded: the {span(band)} epochs of the reference's runs at this batch size.")
    tables = {
        "points": Rows(("s", "g", "run", "x", "y", "at", "t"), rows),
        "target": Rows(("y",), goal),
        "band": Rows(("x", "x2", "name"), [(min(band), max(band), "epochs to the target")] if band else []),
    }
    looks = [key(i, side.name) for i, side in enumerate(sides)]
    caption, log = f"Convergence: {first.metric} over {over}", tenfold([row[4] for row in rows])
    return Chart("curves", caption, looks, tables, " ".join(told), log=log)


def span(values: Sequence[float]) -> str:
    """The range of values in words: "3 to 5"."""
    low, high = show(min(values)), show(max(values))
    return low if low == high else f"{low} to {high}"


def each(runs: Sequence[Run]) -> list[Side]:
    """Every run as a side of its own."""
    return [Side(f"run {name_of(run)}", [run]) for run in runs]


def timeline(sides: Sequence[Side], together: bool) -> Chart | None:
    """The spans of each run, in seconds since its start, or since the first start if runs ran `together`; a name says
    whether the figure of merit drops the run. None without timed spans, or with more than SPANS of them."""
    rows: list[tuple[Any, ...]] = []
    for side in sides:
        first = min((run.window[0] for run in side.runs if run.window), default=0)
        for run in side.runs:
            origin = first if together else run.window[0] if run.window else 0
            spans = kinds(run)
            if len(rows) + sum(map(len, spans.values())) > SPANS:
                return None
            dropped = "(dropped)" if side.kept and run.path not in side.kept else ""
            row = " ".join(filter(None, (side.name, name_of(run), dropped)))
            for s, part in enumerate(PARTS):
                rows += [(s, row, (a - origin) / 1000, (b - origin) / 1000) for a, b in spans.get(part, ())]
    since = "the first start" if together else "its start"
    chart = parts_chart("timeline", f"Timeline: seconds since {since}", ("s", "row", "x", "x2"), rows)
    beside = any(is_beside(run) for side in sides for run in side.runs)
    return chart and replace(chart, note=BESIDE if beside else "")


def parts_chart(kind: str, caption: str, cols: Sequence[str], rows: Sequence[Sequence[Any]]) -> Chart | None:
    """A chart of bars by part of the time; None without rows."""
    looks = [{"name": part} for part in PARTS]
    return Chart(kind, caption, looks, {"parts": Rows(cols, rows)}, marks="block") if rows else None
