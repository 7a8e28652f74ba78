"""The specifications of charts: what they draw is in the tables that charts hold."""

import json

import vl_convert

from results.html.specs import SPECS

TABLES = {"points", "target", "band", "parts", "sets", "runs", "lines", "labels", "joined", "xbars", "ybars", "medians"}


def test_every_kind_is_a_chart_that_vega_lite_knows(capfd):
    for kind, spec in SPECS.items():
        names = {layer["data"]["name"] for layer in spec["layer"] if "name" in layer["data"]}
        assert names and names <= TABLES, kind
        whole = json.loads(json.dumps(spec)) | {"width": 300, "datasets": {name: [] for name in names}}
        whole["height"] = 100
        vega = vl_convert.vegalite_to_vega(whole)
        assert "only" in {signal["name"] for signal in vega["signals"]}, kind
    assert "WARN" not in "".join(capfd.readouterr())


def test_nothing_but_our_own_words_is_run_as_an_expression():
    """Expressions are in the specifications alone, and these hold nothing of a submission."""
    text = json.dumps(SPECS)
    assert "http" not in text and "url" not in text and "href" not in text
