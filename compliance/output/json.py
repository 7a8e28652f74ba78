"""Write a report as JSON for programs, by schema/report-1.json."""

import json
from dataclasses import asdict

from compliance.checklist import ACCEPT, OBJECT, Checklist
from compliance.finding import Finding
from compliance.report import Report, Summary
from compliance.safe import printable

VERSION = 1


def render(report: Report) -> str:
    """Return one JSON object and a newline, in ASCII, so that every terminal and log collector can show it."""
    return json.dumps(document(report), indent=1) + "\n"


def document(report: Report) -> dict:
    """Return the report as plain values."""
    return {
        "schema_version": VERSION,
        "exit_code": report.exit_code,
        "editions": sorted(report.editions),
        "sandbox": report.sandbox,
        "findings": [finding_object(f) for f in report.findings],
        "summaries": [_summary(s) for s in report.summaries],
        "missed": [{"path": printable(path), "reason": printable(why)} for path, why in report.missed],
    }


def finding_object(finding: Finding) -> dict:
    """Return a finding as plain values."""
    return {
        "path": printable(finding.path),
        "line": finding.line,
        "code": finding.code,
        "severity": finding.severity,
        "sentence": printable(finding.sentence),
        "found": printable(finding.found),
        "wanted": printable(finding.wanted),
        "waived": printable(finding.waived),
        "impact": finding.impact,
    }


def _summary(summary: Summary) -> dict:
    told = {
        "path": printable(summary.path),
        "edition": summary.edition,
        "logs": summary.logs,
        "throughput_only": summary.throughput_only,
        "rules": summary.rules,
        "passed": summary.passed,
        "broken": list(summary.broken),
        "counts": summary.counts,
        "review": list(summary.review),
        "source": summary.source,
    }
    return told | {"reviewed": _reviewed(summary.checklist)} if summary.checklist else told


def _reviewed(checklist: Checklist) -> dict:
    entries = [review for point in checklist.points for review in point.reviews]
    return {
        "points": len(checklist.points),
        "accepted": len(checklist.of(ACCEPT)),
        "objections": len(checklist.of(OBJECT)),
        "entries": [{name: printable(value) for name, value in asdict(review).items()} for review in entries],
    }
