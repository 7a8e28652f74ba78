"""Which official ruleset a round is checked with, and rounds made of one submission."""

from pathlib import Path

import pytest

from compliance.engine import judge
from perf.check_speed import ROOT, RULESETS, make_copies, ruleset_of


@pytest.mark.parametrize(
    ("folder", "ruleset"),
    [("v3.0", "3.0.0"), ("hpc_results_v2.0", "2.0.0"), ("results/v1.0", "1.0.0"), ("v0.7", "3.0.0"), ("x", "3.0.0")],
)
def test_a_rounds_folder_names_its_ruleset(folder, ruleset):
    assert ruleset_of(Path("rounds") / folder) == ruleset


def test_the_official_checker_has_the_rulesets():
    from mlperf_logging import compliance_checker

    folders = {path.name for path in Path(compliance_checker.__file__).parent.glob("hpc_*")}
    assert {f"hpc_{ruleset}" for ruleset in RULESETS} <= folders


def test_copies_differ_in_the_name_of_the_organisation(tmp_path):
    verdict = judge([make_copies(ROOT / "results" / "v1.0" / "reference", tmp_path / "v1.0", 2)])
    assert [s.org for s in verdict.submissions] == ["org0", "org1"] and verdict.looked == 40
    assert {log.run.value("submission_org") for s in verdict.all_sets for log in s.logs} == {"org0", "org1"}
    assert not {"RUN05", "SYS01", "TREE01"} & {f.code for f in verdict.findings}
