"""Text for people: one finding a line, then a summary of each submission."""

from dataclasses import replace

import pytest

from compliance.output.text import render


def test_findings_then_the_summary(report, seed, file):
    assert render(report(seed, file)).splitlines() == [
        "v1.0/acme/result_1.txt:8: SEED03 A seed is fresh (found seed 5, wanted 48 bits)",
        "v1.0/acme/core.1:1: TREE03 warning: A file has a place (found core.1, wanted none)",
        "",
        "v1.0/acme: 5 logs by the rules v1.0: 1 error, 1 warning",
        "  99 of 100 rules passed, broken: SEED03",
        "  for a reviewer: EVL90, HYP90",
    ]


def test_waived_findings_and_impacts_are_told_behind_the_finding(report, seed):
    text = render(report(replace(seed, waived="r: agreed", impact="score 1 s, none if this run does not count")))
    first, *_, rules, _ = text.splitlines()
    assert first.endswith("48 bits) [waived by r: agreed] [score 1 s, none if this run does not count]")
    assert rules == "  100 of 100 rules passed" and ": 1 waived\n" in text


def test_nothing_found_and_one_log(report):
    made = report()
    assert render(made).startswith("v1.0/acme: 5 logs by the rules v1.0: nothing found\n  100 of 100 rules passed\n")
    one = replace(made, summaries=(replace(made.summaries[0], logs=1, throughput_only=1, review=()),))
    assert render(one).splitlines()[0].startswith("v1.0/acme: 1 log (throughput-only: no scored run) by")
    some = replace(made, summaries=(replace(made.summaries[0], throughput_only=2),))
    assert "5 logs (2 of them throughput-only: no scored run) by" in render(some)


def test_what_could_not_be_looked_at_has_a_line(report):
    assert render(report(missed=[("no\nwhere", "gone")])).splitlines()[:2] == ["no\\nwhere: could not look: gone", ""]


@pytest.mark.parametrize(("severity", "color"), [("error", "31"), ("warning", "33"), ("review", "36"), ("info", "2")])
def test_each_severity_has_its_color_on_a_terminal_alone(report, seed, severity, color):
    finding = replace(seed, severity=severity)
    line = render(report(finding, color=True)).splitlines()[0]
    assert line == f"\x1b[{color}m{finding.text()}\x1b[0m"
    assert "\x1b" not in render(report(finding))


def test_a_strangers_text_stays_text(report, hostile):
    assert "\x1b" not in render(report(hostile)) and len(render(report(hostile)).splitlines()) == 5
