"""Which official ruleset a round is checked with."""

from pathlib import Path

import pytest

from perf.check_speed import RULESETS, ruleset_of


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
