"""Workflow commands: one a line, and nothing in a name that is another command."""

from dataclasses import replace

import pytest

from compliance.output.github import render


def test_github_commands_are_one_line_each(run, broken):
    _, out, _ = run(broken.root, "--format", "github")
    (line,) = out.splitlines()
    assert line.startswith(f"::error file={broken.path(1)},line=8,title=SEED03::SEED03 ")


@pytest.mark.parametrize(
    ("severity", "command"), [("error", "error"), ("warning", "warning"), ("review", "notice"), ("info", "notice")]
)
def test_a_severity_has_its_command_and_a_waived_finding_is_a_notice(report, seed, severity, command):
    finding = replace(seed, severity=severity)
    assert render(report(finding)).startswith(f"::{command} file=v1.0/acme/result_1.txt,line=8,title=SEED03::SEED03 ")
    waived = render(report(replace(finding, waived="r: agreed")))
    assert waived.startswith("::notice ") and waived.endswith(" [waived by r: agreed]\n")


def test_what_could_not_be_looked_at_is_an_error(report):
    assert render(report(missed=[("a,b", "100% gone")])) == "::error file=a%2Cb::could not look: 100%25 gone\n"


def test_a_name_is_no_command(report, hostile):
    (line,) = render(report(hostile)).splitlines()
    properties = line[2:].partition("::")[0]
    assert properties.count(",") == 2 and ":" not in properties and "%3A%3Aerror%3A%3A%2C%25" in properties
