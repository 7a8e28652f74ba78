"""Pages of rules: every rule of an edition, with its code as the anchor."""

import pytest

from perf.pages.rules import escaped, page
from perf.pages.text import anchors
from rules.current import editions
from rules.edition import load


@pytest.mark.parametrize("name", editions())
def test_every_rule_in_force_is_an_anchor(name):
    text = page(name)
    codes = set(load(name).rules)
    assert codes <= set(anchors(text))
    assert text.count(" · [text](") == len(codes)


def test_a_rule_has_its_sentence_its_severity_and_its_reason():
    text = page("v1.0").partition("### EVL05 ")[2].partition("\n### ")[0]
    rule = load("v1.0").rules["EVL05"]
    assert text.startswith(rule.sentence) and "\nerror · " in text and rule.reason in text
    assert "\nby people · " in page("v1.0").partition("### EVL90 ")[2].partition("\n### ")[0]
    assert "\nwarning · " in page("mlperf-hpc-v2.0").partition("### LOG07 ")[2].partition("\n### ")[0]
    assert escaped("One run_start of <i> and `a_b`") == r"One run\_start of \<i\> and `a_b`"
