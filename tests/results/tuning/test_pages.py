"""Campaigns in the report and in comparisons: tables and charts of a judged one."""

import dataclasses
import json

import pytest
import vl_convert

from results.html.report import html_text
from results.html.specs import SPECS
from results.html.tuning import sections
from results.tuning.text import terminal_text


def other(scored, batch, samples, system="box"):
    """The same campaign at another batch size, or on another system."""
    campaign = dataclasses.replace(scored.campaign, batch_size=batch)
    opened = dataclasses.replace(scored.opened, campaign=campaign)
    judged = dataclasses.replace(scored.judged, system=system)
    rows = tuple(row._replace(batch=float(batch)) for row in scored.confirmed.rows)
    confirmed = dataclasses.replace(scored.confirmed, rows=rows, judged=judged)
    return dataclasses.replace(scored, judged=judged, opened=opened, samples=samples, confirmed=confirmed)


def test_a_campaign_has_its_table_and_charts(scored, tmp_path):
    (section,) = sections([scored])
    (told,) = section["campaigns"]
    assert [chart.kind for chart in told["charts"]] == ["so far", "setting log"] and section["charts"] == []
    page = html_text([], tmp_path, tuned=[scored])
    assert "time to solution with the tuning counted" in page and "acme/<wbr>box/<wbr>first" in page
    assert html_text([], tmp_path).count("tuning counted") == 0
    best, rates = (chart.tables["points"].rows for chart in told["charts"])
    costs = [136.84, 193.081, 193.081]  # of the trials until each that reached the target, and of all
    assert best == [(0, pytest.approx(c), s) for c, s in zip(costs, (58.282, 36.844, 36.844), strict=True)]
    assert rates[:2] == [
        (1, "0", 0.0007363, 78.558, "did not reach the target in 78.6 s, 8 epochs"),
        (0, "1", 0.007363, 58.282, "reached the target in 58.3 s, 6 epochs"),
    ]
    assert [key["name"] for key in told["charts"][1].keys] == ["reached the target", "did not"]


def test_a_page_says_which_campaign_cannot_be_read(tuned, anew, tmp_path):
    (tuned.folder / "campaign.json").unlink()
    page = html_text([], tmp_path, tuned=[anew()])
    where = tuned.folder.relative_to(tmp_path)
    assert f"<li>{where}: its campaign.json or ledger can&#39;t be read: see TUN01</li>" in page


def test_trial_times_that_span_a_factor_of_ten_have_a_log_axis(scored):
    first, *rest = scored.trials
    for seconds, log in ((9.9, False), (10, True)):
        least = min(t.seconds for t in rest)
        trials = (dataclasses.replace(first, seconds=seconds * least), *rest)
        told = sections([dataclasses.replace(scored, trials=trials)])[0]["campaigns"]
        assert [chart.log for chart in told[0]["charts"]][1:] == [log], [t.seconds for t in trials]


def test_passes_and_speed_by_batch_size_over_several_campaigns(scored):
    several = [scored, other(scored, 8, (48.0, 49.0)), other(scored, 16, (64.0, 66.0), "crate")]
    (section,) = sections(several)
    charts = {chart.kind: chart for chart in section["charts"]}
    assert list(charts) == ["batch", "rate", "joint"]
    assert [key["name"] for key in charts["batch"].keys] == ["acme/box", "acme/crate"]
    for kind in ("batch", "rate"):
        places = [(row[0], row[1], row[2]) for row in charts[kind].tables["points"].rows]
        assert places == [(0, "acme/box/first", 4), (0, "acme/box/first", 8), (1, "acme/crate/first", 16)]
    assert charts["joint"].tables["labels"].rows[0][2] == "4"
    assert charts["batch"].note.startswith("Critical batch size, from 3 campaigns: ") and not charts["rate"].note


def test_times_between_campaigns_are_predicted(scored, tmp_path):
    several = [scored, other(scored, 16, (64.0, 66.0))]
    ((_, times, _),) = sections(several)[0]["predictions"]
    assert times.head == ["system", "batch 4", "batch 8", "batch 16"] and len(times.lines) == 1
    assert times.lines[0].cells[1].below == "on 1: measured" and times.lines[0].cells[2].below.startswith("on 1: ")
    assert "without staging, predicted" in terminal_text(several)
    assert "Predicted, not measured" in html_text([], tmp_path, tuned=several)
    assert "predicted" not in terminal_text([scored]) and "predicted" not in html_text([], tmp_path, tuned=[scored])


def rows(table, keys):
    """A table's rows as `report.js` makes them."""
    named = [dict(zip(table["cols"], row, strict=True)) for row in table["rows"]]
    return [{**(keys[row["s"]] if "s" in row else {}), **row, "tip": {}} for row in named]


def test_charts_are_sound_vega_lite(scored):
    several = [scored, other(scored, 8, (48.0, 49.0))]
    (section,) = sections(several)
    for chart in (*section["charts"], *section["campaigns"][0]["charts"]):
        content, spec = chart.content, json.loads(json.dumps(SPECS[chart.kind]))
        keys = content["keys"]
        spec["datasets"] = {name: rows(table, keys) for name, table in content["tables"].items()}
        spec["width"] = 400
        assert "marks" in vl_convert.vegalite_to_vega(spec)
        assert vl_convert.vegalite_to_svg(spec).count("<path") > 3
