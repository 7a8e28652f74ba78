"""Reports to write: of made-up findings in one submission."""

from dataclasses import replace

import pytest

from compliance.finding import Finding
from compliance.output.report import Report, Summary, owned
from rules.edition import load


@pytest.fixture
def seed():
    """An error."""
    return Finding("v1.0/acme/result_1.txt", 8, "SEED03", "error", "A seed is fresh", "seed 5", "48 bits")


@pytest.fixture
def file():
    """A warning."""
    return Finding("v1.0/acme/core.1", 1, "TREE03", "warning", "A file has a place", "core.1", "none")


@pytest.fixture
def report():
    """A report of findings in the submission v1.0/acme."""

    def make(*findings, missed=(), code=1, color=False):
        summary = Summary("v1.0/acme", "v1.0", 5, 100, (), ("EVL90", "HYP90"))
        return of(Report(findings, (), tuple(missed), {"v1.0": load("v1.0")}, code, color), summary)

    return make


@pytest.fixture
def summed():
    """A report with other summaries, each with its findings."""
    return of


def of(report, *summaries):
    found = owned([summary.path for summary in summaries], report.findings)
    return replace(report, summaries=tuple(replace(one, findings=tuple(found[one.path])) for one in summaries))
