"""Workflow commands: one a line, and nothing in a name that is another command."""

from dataclasses import replace

import pytest

from compliance.output.github import render


@pytest.mark.parametrize(
    ("severity", "command"), [("error", "error"), ("warning", "warning"), ("review", "notice"), ("info", "notice")]
)
def test_a_severity_has_its_command_and_a_waived_finding_is_a_notice(report, seed, severity, command):
    finding = replace(seed, severity=severity)
    assert render(report(finding)).startswith(f"::{command} file=v1.0/acme/result_1.txt,line=8,title=SEED03::SEED03 ")
    assert render(report(finding)).endswith(f"::SEED03 {severity}: A seed is fresh (found seed 5, wanted 48 bits)\n")
    waived = render(report(replace(finding, waived="r: agreed")))
    assert waived.startswith("::notice ") and waived.endswith(" [waived by r: agreed]\n")


def test_a_rule_in_a_set_is_one_annotation_at_its_first_place(report, seed):
    (line,) = render(report(*(replace(seed, line=n) for n in (8, 9, 10)))).splitlines()
    assert line.startswith("::error file=v1.0/acme/result_1.txt,line=8,") and line.endswith(" [and 2 more]")


@pytest.mark.parametrize(("rules", "lines", "rest"), [(10, 10, None), (11, 10, 4)])
def test_ten_annotations_of_a_kind_or_nine_and_what_is_left_out(report, seed, file, rules, lines, rest):
    found = [replace(seed, code=f"SEED{n:02d}", line=line) for n in range(rules) for line in (1, 2)]
    errors = render(report(file, *found)).splitlines()
    assert errors.pop().startswith("::warning file=v1.0/acme/core.1,")
    assert len(errors) == lines and all(line.startswith("::error ") for line in errors[:9])
    assert errors[-1].startswith("::error::") == bool(rest)
    if rest:
        assert errors[-1].startswith(f"::error::{rest} more errors not shown here: compliance/check.py --all has")


def test_every_rule_is_annotated_before_a_second_set_of_one(report, seed):
    places = [f"v1.0/acme/results/{name}" for name in "abcdefghijkl"]
    found = [replace(seed, path=f"{place}/x") for place in places] + [replace(seed, code="RUN01")]
    made = report(*found)
    made = replace(made, summaries=(replace(made.summaries[0], sets=tuple(places)),))
    lines = render(made).splitlines()
    assert [line.split("title=")[1][:6].rstrip(":") for line in lines[:3]] == ["SEED03", "RUN01", "SEED03"]
    assert len(lines) == 10


def test_reviews_come_before_information_among_notices(report, seed):
    info = [replace(seed, severity="info", code=f"EVL{n:02d}") for n in range(20)]
    lines = render(report(*info, replace(seed, severity="review"))).splitlines()
    assert "SEED03 review: " in lines[0] and len(lines) == 10
    assert "::notice::12 more notices " in lines[-1]


def test_what_was_missed_is_an_error(report):
    assert render(report(missed=[("a,b", "100% gone")])) == "::error file=a%2Cb::could not be checked: 100%25 gone\n"
