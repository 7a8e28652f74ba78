"""Campaigns of tuning on a page: a table for each problem, and charts of the trials."""

from collections.abc import Sequence
from typing import Any

from results.html.charts import Chart, Rows, key
from results.tuning.estimators import best_so_far, critical_batch
from results.tuning.score import Scored, Trial
from results.tuning.text import table, tables, told

MOST = 200  # trials of a campaign in a chart
MOST_SETTINGS = 8  # settings that get a chart of their own
FATES = ({"name": "reached the target", "c": 0, "d": 0, "h": 0}, {"name": "did not", "c": 1, "d": 1, "h": 5})


def sections(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    """A section for each edition and problem that has campaigns: title, table, charts, and for each campaign its name,
    lines of text and charts."""
    return [
        {
            "title": title,
            "table": table(of),
            "charts": [chart for chart in [by_batch(of)] if chart],
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
    return Chart(kind, f"Seconds of a trial against {name}", FATES, tables, marks="shape")


def so_far(s: Scored) -> Chart:
    """The shortest time to the target so far over the total seconds of trials."""
    found = best_so_far([(t.stop_ms, t.seconds, t.reached) for t in s.trials])
    total = sum(t.seconds for t in s.trials)
    rows = [(0, cost, best) for cost, best in [*found, (total, found[-1][1])]]
    tables = {"points": Rows(("s", "x", "y"), rows)}
    return Chart("so far", "Best so far over the cost of trials", [key(0, "best")], tables)


def by_batch(scored: Sequence[Scored]) -> Chart | None:
    """Samples to the target over batch size, with intervals; None below two batch sizes."""
    known = [(s, s.system, e) for s in scored if s.solution and (e := s.samples_to_target)]
    if len({s.campaign.batch_size for s, _, _ in known}) < 2:
        return None
    systems = list(dict.fromkeys(system for _, system, _ in known))
    rows = [
        (systems.index(system), system, s.judged.campaign, s.campaign.batch_size, e.value, e.low, e.high)
        for s, system, e in known
    ]
    critical = critical_batch([(row[3], row[4]) for row in rows])
    tables = {
        "points": Rows(("s", "set", "campaign", "x", "y", "low", "high"), rows),
        "ybars": Rows(("s", "x", "low", "high"), [(row[0], row[3], *row[5:]) for row in rows]),
    }
    return Chart(
        "by batch",
        "Samples to the target by batch size",
        [key(i, name) for i, name in enumerate(systems)],
        tables,
        f"Critical batch size, from {len(rows)} campaigns: {critical:.3g}." if critical else "",
        "shape",
    )


def said(t: Trial) -> str:
    """A trial's outcome in words."""
    what = "reached the target in" if t.reached else "did not reach the target in"
    return f"{what} {t.seconds:.1f} s, {t.epochs or 0:g} epochs"
