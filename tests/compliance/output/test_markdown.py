"""Markdown: tables by rule and set, and nothing that a renderer would obey."""

from dataclasses import replace

from compliance.output.markdown import render
from compliance.reviewing.checklist import checklist
from rules.edition import load


def test_a_table_of_submissions_then_one_of_rules(report, seed, file):
    found = [replace(seed, line=n) for n in (8, 9)]
    fix = load("v1.0").rules["SEED03"].fix
    assert render(report(*found, file)).splitlines() == [
        "# Verdict",
        "",
        "| what | edition | logs | verdict |",
        "| --- | --- | --- | --- |",
        "| v1.0/acme | v1.0 | 5 | **failed: 2 errors, with 1 warning to read** |",
        "",
        "## v1.0/acme",
        "",
        "| severity | rule | how often | what | for example |",
        "| --- | --- | --- | --- | --- |",
        f"| error | SEED03 | 2 times | A seed is fresh. Fix: {fix} | result\\_1.txt:8: found seed 5, wanted 48 bits"
        "<br>result\\_1.txt:9: found seed 5, wanted 48 bits |",
        "| warning | TREE03 | once | A file has a place | core.1:1: found core.1, wanted none |",
    ]


def test_a_round_has_totals_and_the_worst_first(report, seed, summed):
    made = report(replace(seed, path="v1.0/other/x"))
    other = replace(made.summaries[0], path="v1.0/other")
    lines = render(summed(made, made.summaries[0], other)).splitlines()
    assert lines[2] == "All together: 1 error."
    assert [line.split(" | ")[0] for line in lines[6:8]] == ["| v1.0/other", "| v1.0/acme"]
    assert lines[7].endswith(" | passed |")
    assert "All together: nothing found." in render(summed(report(), other, other))


def test_loose_findings_and_reviews_stand_with_the_verdict(report):
    first = report().summaries[0]
    (row,) = [s for s in render(replace(report(), summaries=(replace(first, alone=True),))).splitlines() if "acme" in s]
    assert row.endswith("| passed, without a submission |")
    listed = replace(first, checklist=checklist(["EVL90"], ()))
    assert "| passed; reviewed: 0 of 1 point accepted |" in render(replace(report(), summaries=(listed,)))


def test_rules_beyond_the_room_are_counted(report, seed):
    found = [replace(seed, code=f"SEED{n:02d}") for n in range(60)]
    rows = [line for line in render(report(*found)).splitlines() if line.startswith("| error")]
    assert len(rows) == 40 and rows[-1].startswith("| error and less | SEED39, SEED40, ")
    assert rows[-1].endswith("| 21 findings | more rules | `--format text --all` |")


def test_findings_elsewhere_and_unread_parts_have_headings(report, seed):
    lines = render(report(replace(seed, path="waivers.yaml"), missed=[("x", "gone")])).splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# Verdict", "## elsewhere", "## Could not be checked"]
    assert lines[-1] == "- x: gone"
    for missed, last in ((10, "- x: gone"), (12, "- and 2 more: `--format text --all`")):
        assert render(report(missed=[("x", "gone")] * missed)).splitlines()[-1] == last


def test_waived_findings_and_impacts_are_told(report, seed):
    row = render(report(replace(seed, waived="r: agreed", impact="score 1 s"))).splitlines()[-1]
    assert row.startswith("| waived | SEED03 |")
    assert row.endswith("wanted 48 bits (waived by r: agreed) (score 1 s) |")
