"""Rounds made of one submission."""

from compliance.engine import judge
from perf.check_speed import ROOT, make_copies


def test_copies_differ_in_the_name_of_the_organisation(tmp_path):
    verdict = judge([make_copies(ROOT / "results" / "v1.0" / "reference", tmp_path / "v1.0", 2)])
    assert [s.org for s in verdict.submissions] == ["org0", "org1"] and verdict.looked == 40
    assert {log.run.value("submission_org") for s in verdict.all_sets for log in s.logs} == {"org0", "org1"}
    assert not {"RUN05", "SYS01", "TREE01"} & {f.code for f in verdict.findings}
