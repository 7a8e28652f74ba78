"""Write a report as JSON for programs, by schema/report-1.json."""

import json
from typing import Any

from compliance.output.report import Report, Summary
from compliance.reviewing.checklist import ACCEPT, OBJECT
from compliance.safe import values

VERSION = 1


def render(report: Report) -> str:
    """Return one JSON object and a newline, in ASCII, so that every terminal and log collector can show it."""
    return json.dumps(document(report), indent=1) + "\n"


def document(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    told = {
        "schema_version": VERSION,
        "exit_code": report.exit_code,
        "editions": sorted(report.editions),
        "sandbox": report.sandbox,
        "findings": [vars(f) for f in report.findings],
        "summaries": [_summary(s) for s in report.summaries],
        "missed": [{"path": path, "reason": why} for path, why in report.missed],
    }
    shown: dict[str, Any] = values(told)
    return shown


def _summary(summary: Summary) -> dict[str, Any]:
    told: dict[str, Any] = {
        "path": summary.path,
        "edition": summary.edition,
        "logs": summary.logs,
        "throughput_only": summary.throughput_only,
        "rules": summary.rules,
        "passed": summary.passed,
        "broken": summary.broken,
        "counts": summary.counts,
        "review": summary.review,
        "source": summary.source,
    }
    if checklist := summary.checklist:
        told["reviewed"] = {
            "points": len(checklist.points),
            "accepted": len(checklist.of(ACCEPT)),
            "objections": len(checklist.of(OBJECT)),
            "entries": [vars(review) for point in checklist.points for review in point.reviews],
        }
    return told
