"""Campaigns of tuning on a page: a table for each problem, and charts of the trials."""

from collections.abc import Sequence
from dataclasses import dataclass

from results.html.charts import Chart, Rows, key
from results.tables.cells import Table
from results.tuning.estimators import best_so_far, critical_batch
from results.tuning.score import Scored, Trial
from results.tuning.text import table, tables, told

MOST = 200  # trials of a campaign in a chart
MOST_SETTINGS = 8  # settings that get a chart of their own
FATES = ({"name": "reached the target", "c": 0, "d": 0, "h": 0}, {"name": "did not", "c": 1, "d": 1, "h": 5})


@dataclass(frozen=True)
class Told:
    """A campaign: its name, lines of text, and charts."""

    name: str
    lines: Sequence[str]
    charts: Sequence[Chart]


@dataclass(frozen=True)
class Section:
    """The campaigns of an edition and problem."""

    title: str
    table: Table
    charts: Sequence[Chart]
    campaigns: Sequence[Told]


def sections(scored: Sequence[Scored]) -> list[Section]:
    """A section for each edition and problem that has campaigns."""
    return [
        Section(
            title,
            table(of),
            [chart for chart in [by_batch(of)] if chart],
            [Told(s.label, told(s), charts(s)) for s in of],
        )
        for title, of in tables(scored)
    ]


def charts(s: Scored) -> list[Chart]:
    """The charts of a campaign's trials; [] without trials."""
    if not s.trials:
        return []
    names = list(s.campaign.space)[:MOST_SETTINGS]
    each = [chart for name in names if (chart := against(s, name))]
    return [so_far(s), *each] if s.successes else each


def against(s: Scored, name: str) -> Chart | None:
    """The seconds of trials over a setting, whether or not they reached the target; None if the setting is no
    number."""
    axis = s.campaign.space[name]
    if not all(type(t.point[name]) in (int, float) for t in s.trials):
        return None
    rows = [(fate(t), f"trial {t.index}", t.point[name], t.seconds, said(t)) for t in s.trials[:MOST]]
    tables = {"points": Rows(("s", "g", "x", "y", "said"), rows)}
    kind = "setting log" if axis.scale == "log" else "setting"
    return Chart(kind, f"Seconds of a trial against {name}", FATES, tables, marks="shape")


def so_far(s: Scored) -> Chart:
    """The shortest time to the target so far over the total seconds of trials."""
    found = best_so_far([(t.stop_ms, t.seconds, t.reached) for t in s.trials])
    total = sum(t.seconds for t in s.trials)
    rows = [(0, "best", cost, best) for cost, best in [*found, (total, found[-1][1])]]
    return Chart(
        "so far", "Best so far over the cost of trials", [key(0, "best")], {"points": Rows(("s", "g", "x", "y"), rows)}
    )


def by_batch(scored: Sequence[Scored]) -> Chart | None:
    """Samples to the target over batch size, with intervals; None below two batch sizes."""
    known = [s for s in scored if s.solution and s.samples_to_target]
    if len({s.campaign.batch_size for s in known}) < 2:
        return None
    systems = list(dict.fromkeys(f"{s.org}/{s.system}" for s in known))
    rows = [
        (systems.index(f"{s.org}/{s.system}"), s.name, s.campaign.batch_size, e.value, e.low, e.high)
        for s in known
        if (e := s.samples_to_target)
    ]
    critical = critical_batch([(row[2], row[3]) for row in rows])
    note = f"Critical batch size, from {len(rows)} campaigns: {critical:.3g}." if critical else ""
    columns = ("s", "campaign", "x", "y", "low", "high")
    looks = [key(i, name) for i, name in enumerate(systems)]
    return Chart(
        "by batch", "Samples to the target by batch size", looks, {"points": Rows(columns, rows)}, note, "shape"
    )


def fate(t: Trial) -> int:
    """The number of a trial's look in FATES."""
    return 0 if t.reached else 1


def said(t: Trial) -> str:
    """A trial's outcome in words."""
    what = "reached the target in" if t.reached else "did not reach the target in"
    return f"{what} {t.seconds:.1f} s, {t.epochs or 0:g} epochs"
