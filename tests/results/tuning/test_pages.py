"""Campaigns in the report and in comparisons: tables and charts of a judged one."""

import dataclasses
import json

import vl_convert

from results.html.report import html_text
from results.html.specs import SPECS
from results.html.tuning import sections
from results.tuning.score import campaigns

COLOUR = "var(--ink)"


def other(scored, batch, samples):
    """The same campaign at another batch size."""
    campaign = dataclasses.replace(scored.campaign, batch_size=batch)
    opened = dataclasses.replace(scored.opened, campaign=campaign)
    return dataclasses.replace(scored, opened=opened, samples=samples)


def test_a_campaign_has_its_table_and_charts(verdict, tmp_path):
    (scored,) = campaigns(verdict)
    (section,) = sections([scored])
    (told,) = section["campaigns"]
    assert [chart.kind for chart in told["charts"]] == ["so far", "setting log"] and section["charts"] == []
    page = html_text([], tmp_path, tuned=[scored])
    assert "time to solution with the tuning counted" in page and "acme/<wbr>box/<wbr>first" in page
    assert html_text([], tmp_path).count("tuning counted") == 0


def test_samples_by_batch_size_over_several_campaigns(verdict):
    (scored,) = campaigns(verdict)
    several = [scored, other(scored, 8, (48.0, 49.0)), other(scored, 16, (64.0, 66.0))]
    (section,) = sections(several)
    (chart,) = section["charts"]
    assert chart.kind == "by batch" and [row[3] for row in chart.tables["points"].rows] == [4, 8, 16]
    assert chart.note.startswith("Critical batch size, from 3 campaigns: ")


def test_charts_are_sound_vega_lite(verdict):
    (scored,) = campaigns(verdict)
    several = [scored, other(scored, 8, (48.0, 49.0))]
    (section,) = sections(several)
    for chart in (*section["charts"], *section["campaigns"][0]["charts"]):
        content, spec = chart.content, json.loads(json.dumps(SPECS[chart.kind]))
        keys = content["keys"]
        spec["datasets"] = {
            name: [{**keys[row[0]], **dict(zip(table["cols"], row, strict=True)), "tip": {}} for row in table["rows"]]
            for name, table in content["tables"].items()
        }
        spec["width"] = 400
        assert "marks" in vl_convert.vegalite_to_vega(spec)
        assert vl_convert.vegalite_to_svg(spec).count("<path") > 3
