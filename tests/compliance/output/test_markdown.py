"""Markdown: tables, and nothing that a renderer would obey."""

import re
from dataclasses import replace

from compliance.output.markdown import render


def test_markdown_has_the_table(run, broken):
    _, out, _ = run(broken.root, "--format", "markdown")
    assert "| SEED03 | error |" in out


def test_a_table_of_submissions_then_one_of_findings(report, seed, file):
    assert render(report(seed, file)).splitlines() == [
        "# Verdict",
        "",
        "| what | edition | logs | errors | warnings | to review | waived | rules passed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| v1.0/acme | v1.0 | 5 | 1 | 1 | 0 | 0 | 99 of 100 |",
        "",
        "## v1.0/acme",
        "",
        "| place | rule | severity | what |",
        "| --- | --- | --- | --- |",
        "| v1.0/acme/result\\_1.txt:8 | SEED03 | error | A seed is fresh (found seed 5, wanted 48 bits) |",
        "| v1.0/acme/core.1:1 | TREE03 | warning | warning: A file has a place (found core.1, wanted none) |",
    ]


def test_a_finding_elsewhere_and_what_could_not_be_looked_at_have_headings(report, seed):
    lines = render(report(replace(seed, path="waivers.yaml"), missed=[("x", "gone")])).splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# Verdict", "## elsewhere", "## Could not look"]
    assert lines[-1] == "- x: gone"


def test_waived_findings_and_impacts_are_told(report, seed):
    row = render(report(replace(seed, waived="r: agreed", impact="score 1 s"))).splitlines()[-1]
    assert "| waived by r: agreed |" in row and row.endswith("wanted 48 bits) (score 1 s) |")


def test_a_name_is_no_markup(report, hostile):
    row = render(report(hostile)).splitlines()[-1]
    assert re.sub(r"\\.", "", row).count("|") == 5 and "<" not in row and "\\`" in row
