"""A verdict as it is told: a summary of each submission, set or log that was given."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from compliance.finding import Finding
from compliance.output.report import owned, summaries
from compliance.rule import CHECKS, STEPS
from rules.edition import load


@pytest.fixture
def told(law):
    """The summaries of paths, with the findings of the verdict or these."""

    def look(*paths, change=lambda findings: findings):
        verdict = judge(paths, rules=law)
        verdict = replace(verdict, findings=change(verdict.findings))
        return summaries(verdict, {name: load(name, law) for name in verdict.editions})

    return look


def finding(path, **fields):
    return Finding(path, 1, "SEED03", "error", "Something", **fields)


def test_a_finding_is_its_nearest_places():
    paths = ["a", "a/b", "c"]
    found = owned(paths, (finding("a/b/x"), finding("a/x"), finding("a/b"), finding("ab/x"), finding("w.yaml")))
    told = {path: [f.path for f in fs] for path, fs in found.items()}
    assert told == {"a": ["a/x"], "a/b": ["a/b/x", "a/b"], "c": [], "": ["ab/x", "w.yaml"]}


def test_warnings_and_waived_findings_are_counted_beside_errors(told, broken):
    broken.put(broken.path(0).with_name("core.1"), "?")
    broken.changed("seed", 3, value=6)  # two errors of a rule break it once
    (summary,) = told(broken.root)
    assert (summary.path, summary.logs, summary.broken) == (str(broken.root), 5, ("SEED03",))
    assert summary.passed == summary.rules - 1
    assert summary.counts == {"error": 2, "warning": 1, "review": 0, "info": 0, "waived": 0}
    (waived,) = told(broken.root, change=lambda fs: tuple(replace(f, waived="r: agreed") for f in fs))
    assert waived.broken == () and waived.counts["waived"] == 3 and waived.counts["warning"] == 0
    assert set(summary.review) == load("v1.0").codes - set(CHECKS)  # people are told what no program checks


def test_what_was_given_by_itself_has_a_summary_of_its_own(told, study):
    paths = (study.root, study.path(0).parent, study.path(1), study.path(6))
    ((everything,), (runs,), (log,), (block,)) = (told(path) for path in paths)
    assert [s.logs for s in (everything, runs, log, block)] == [8, 5, 1, 1]
    assert [s.alone for s in (everything, runs, log, block)] == [False, True, True, True]
    assert len(everything.sets) == 2 and runs.sets == log.sets == ()
    assert [s.throughput_only for s in (everything, runs, log, block)] == [3, 0, 0, 1]
    assert everything.rules > runs.rules > log.rules > block.rules
    spared = {c for c in CHECKS if CHECKS[c].on >= STEPS or CHECKS[c].level == "round"}
    assert block.rules == sum(CHECKS[c].level in ("log", "round") for c in spared & load("v1.0").codes)
