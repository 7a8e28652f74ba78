"""--explain and --list: one text for all editions, and what each makes of it."""

import pytest

from compliance import check
from compliance.explain import explain, listing
from rules.edition import editions, load


def test_a_rule_has_one_text_and_a_severity_by_edition():
    rule, said = load("v1.0").rules["TREE09"], explain("tree09", None)
    assert said.startswith(f"TREE09 {rule.sentence}\n\n{rule.reason}\n")
    assert "\n  v1.0: error\n" in said and "\n  mlperf-hpc-v2.0: warning\n" in said
    assert said.endswith(f"\nText: {rule.place}\n") and rule.place.startswith("rules/texts/TREE.md:")


def test_one_edition_is_explained_alone():
    said = explain("EVL90", "mlperf-hpc-v0.7")
    assert "\n  mlperf-hpc-v0.7: people\n" in said and "v1.0" not in said
    with pytest.raises(ValueError, match="no rule 'EVL14'; did you mean 'EVL"):
        explain("EVL14", "mlperf-hpc-v0.7")


def test_the_list_says_severity_and_place():
    lines = listing("mlperf-hpc-v0.7").splitlines()
    (line,) = [line for line in lines if line.startswith("  RUN17  ")]
    rule = load("mlperf-hpc-v0.7").rules["RUN17"]
    assert line == f"  RUN17  warning  {rule.sentence} ({rule.place})"
    assert len(lines) == 1 + len(load("mlperf-hpc-v0.7").rules)


@pytest.mark.parametrize("edition", editions())
def test_every_rule_is_explained(capsys, edition):
    for code, rule in load(edition).rules.items():
        assert check.main(["--explain", code, "--rules", edition]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{code} {rule.sentence}\n")
        assert rule.reason in out


def test_unknown_code_is_suggested(capsys):
    assert check.main(["--explain", "SEED99"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_list_has_every_rule(capsys):
    assert check.main(["--list"]) == 0
    out = capsys.readouterr().out
    for name in editions():
        for code, rule in load(name).rules.items():
            assert f"  {code:<7}" in out
            assert rule.sentence in out
