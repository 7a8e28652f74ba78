"""Findings in a page: by rule, worst first, with the lines around them."""

from dataclasses import replace
from pathlib import Path

from compliance.finding import Finding
from results.html.findings import from_round, groups
from results.statistics.standing import Standing
from results.tables.links import Links


def finding(path, severity="error", waived="", line=2, code="RUN01"):
    return Finding(str(path), line, code, severity, "Something", "1", "2", waived=waived)


def test_errors_come_first_and_waived_ones_last(tmp_path):
    kinds = [("warning", ""), ("error", "R: known"), ("info", ""), ("error", ""), ("review", "")]
    found = groups(Standing(tuple(finding("x", *kind) for kind in kinds)), Links(tmp_path), tmp_path, 3, 0)
    assert [g["severity"] for g in found] == ["error", "review", "warning", "info", "waived error"]
    assert found[-1]["places"][0]["said"] == "found 1, wanted 2 [waived by R: known]"
    assert groups(Standing(), Links(tmp_path), tmp_path, 3, 0) == []


def test_a_rule_is_told_once_with_its_first_places_and_their_lines(tmp_path):
    log = tmp_path / "result_0.txt"
    log.write_text("one\ntwo\nthree\nfour\n")
    many = tuple(finding(log, line=n + 1) for n in range(4))
    (g,) = groups(Standing(many), Links(tmp_path), tmp_path, 2, 1)
    assert (g["code"], g["sentence"], g["count"], g["more"], len(g["places"])) == ("RUN01", "Something", 4, 2, 2)
    assert g["places"][1]["where"] == "result_0.txt:2" and g["places"][1]["href"] == "result_0.txt"
    assert [(line.number, line.text, line.meant) for line in g["places"][1]["lines"]] == [
        (1, "one", False),
        (2, "two", True),
        (3, "three", False),
    ]


def test_paths_in_a_text_begin_with_their_round():
    for above in ("/x/y/", "y/", ""):
        home = Path(f"{above}v1.0/acme")
        said = f"found the bytes of {above}v1.1/b/results/a.txt, wanted results/box or other/y/z"
        assert from_round(said, home) == "found the bytes of v1.1/b/results/a.txt, wanted results/box or other/y/z"


def test_what_has_no_lines_is_told_all_the_same(tmp_path):
    gone = replace(finding(tmp_path / "gone"), found="", wanted="")
    (g,) = groups(Standing((gone,)), Links(Path("/"), public=True), tmp_path, 3, 2)
    assert (g["places"][0]["lines"], g["places"][0]["said"], g["places"][0]["href"]) == ([], "", "")
