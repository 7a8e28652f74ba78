"""Campaigns of tuning on a page: a table for each problem, and charts of the trials."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from results.html.across import over_batch
from results.html.charts import Chart, Rows, key, tenfold
from results.statistics.result import Result
from results.tuning.estimators import best_so_far, critical_batch
from results.tuning.score import Scored, Trial
from results.tuning.text import predicted_times, table, tables, told

MOST = 200  # trials of a campaign in a chart
MOST_SETTINGS = 8  # settings that get a chart of their own
FATES = ({"name": "reached the target", "c": 0, "d": 0, "h": 0}, {"name": "did not", "c": 1, "d": 1, "h": 5})


def sections(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    """A section for each edition and problem that has campaigns: title, table, charts over batch size, predicted times,
    and for each campaign its name, lines of text and charts."""
    return [
        {
            "title": title,
            "table": table(of),
            "charts": by_batch([s for s in of if s.solution and s.samples_to_target]),
            "predictions": predicted_times(of),
            "campaigns": [{"name": s.label, "lines": told(s), "charts": charts(s)} for s in of],
        }
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
    if not all(type(t.point[name]) in (int, float) for t in s.trials):
        return None
    rows = [(0 if t.reached else 1, f"{t.index}", t.point[name], t.seconds, said(t)) for t in s.trials[:MOST]]
    kind = "setting log" if s.campaign.space[name].scale == "log" else "setting"
    tables = {"points": Rows(("s", "g", "x", "y", "said"), rows)}
    log = tenfold([t.seconds for t in s.trials[:MOST]])
    return Chart(kind, f"Seconds of a trial against {name}", FATES, tables, marks="shape", log=log)


def so_far(s: Scored) -> Chart:
    """The shortest time to the target so far over the total seconds of trials."""
    found = best_so_far([(t.stop_ms, t.seconds, t.reached) for t in s.trials])
    total = math.fsum(t.seconds for t in s.trials)
    rows = [(0, cost, best) for cost, best in [*found, (total, found[-1][1])]]
    tables = {"points": Rows(("s", "x", "y"), rows)}
    log = tenfold([best for _, best in found])
    return Chart("so far", "Best so far over the cost of trials", [key(0, "best")], tables, log=log)


def by_batch(scored: Sequence[Scored]) -> list[Chart]:
    """Passes and speed of the confirmation runs over batch size, a series for each system; [] below two batch sizes."""
    if len({s.campaign.batch_size for s in scored}) < 2:
        return []
    systems = list(dict.fromkeys(s.system for s in scored))
    looks = {s.label.casefold(): systems.index(s.system) for s in scored}
    confirmed = [r for s in scored if (r := named(s))]
    found = [of_systems(chart, systems) for chart in over_batch(confirmed, looks) if chart]
    size = critical_batch([(s.campaign.batch_size, e.value) for s in scored if (e := s.samples_to_target)])
    note = f"Critical batch size, from {len(scored)} campaigns: {size:.3g}." if size else ""
    return [replace(c, note=f"{note} {c.note}".strip()) if c.kind == "batch" else c for c in found]


def of_systems(chart: Chart, systems: Sequence[str]) -> Chart:
    """A chart of campaigns with a series for each system."""
    series = [next(i for i, name in enumerate(systems) if k["name"].startswith(f"{name}/")) for k in chart.keys]
    tables = {
        name: replace(t, rows=[(series[row[0]], *row[1:]) for row in t.rows]) if "s" in t.cols else t
        for name, t in chart.tables.items()
    }
    return replace(chart, keys=[key(i, name) for i, name in enumerate(systems)], tables=tables, sets=())


def named(s: Scored) -> Result | None:
    """The confirmation runs under the campaign's name."""
    r = s.confirmed
    return r and replace(r, judged=replace(r.judged, system=f"{s.judged.system}/{s.judged.campaign}"))


def said(t: Trial) -> str:
    """A trial's outcome in words."""
    what = "reached the target in" if t.reached else "did not reach the target in"
    return f"{what} {t.seconds:.1f} s, {t.epochs or 0:g} epochs"
