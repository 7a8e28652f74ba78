"""A result as one flat record."""

import json

from results.measures.registry import MEASURES
from results.tables.text import json_text


def test_json_says_its_schema_and_every_meaning(tree, new_log):
    tree.set(new_log.five())
    body = json.loads(json_text(tree.results()))
    assert body["schema"] == "results/2" and list(body["columns"]) == list(body["results"][0]) == list(MEASURES)
    assert body["columns"]["fom_seconds"] == "the figure of merit: trimmed mean of seconds, s"
