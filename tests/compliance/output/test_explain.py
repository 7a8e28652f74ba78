"""--explain and --list: one text for all editions, and what each makes of it."""

import pytest

from compliance import check
from compliance.output.explain import explain, listing
from rules.current import editions
from rules.edition import load


def test_a_rule_has_one_text_and_a_severity_by_edition():
    rule, said = load("v1.0").rules["TREE09"], explain("tree09", None)
    assert said.startswith(f"TREE09 {rule.sentence}\n\n{rule.reason}\n")
    assert "\n  v1.0: error\n" in said and "\n  mlperf-hpc-v2.0: warning\n" in said
    assert said.endswith(f"\nText: {rule.place}\n") and rule.place.startswith("rules/texts/TREE.md:")
    alone = explain("TREE09", "mlperf-hpc-v2.0")
    assert "\n  mlperf-hpc-v2.0: warning\n" in alone and "v1.0" not in alone
    said = explain("SEED03", None)
    at = [said.index(f"\n{word}: ") for word in ("Fix", "- Bad", "- Good", "Text")]
    assert at == sorted(at)


def test_the_list_and_families_name_each_rule_once():
    lines = listing("mlperf-hpc-v0.7").splitlines()
    (line,) = [line for line in lines if line.startswith("  RUN17  ")]
    rule = load("mlperf-hpc-v0.7").rules["RUN17"]
    assert line == f"  RUN17  warning  {rule.sentence} ({rule.place})"
    assert len(lines) == 1 + len(load("mlperf-hpc-v0.7").rules)
    said = explain("seed03, RUN05,wai,SEED03", None)
    heads = [part.splitlines()[0].split()[0] for part in said.split(f"\n{'-' * 80}\n\n")]
    assert heads == ["SEED03", "RUN05", "WAI01", "WAI02"]
    assert explain("SEED", None).count("\nText: rules/texts/SEED.md:") == 8


@pytest.mark.parametrize("edition", editions())
def test_every_rule_is_explained(capsys, edition):
    for code, rule in load(edition).rules.items():
        assert check.main(["--explain", code, "--rules", edition]) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{code} {rule.sentence}\n")
        assert rule.reason in out


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("SEED99", "no rule or family 'SEED99'; did you mean 'SEED"),
        ("RUN1", "no rule or family 'RUN1'; did you mean 'RUN21'?"),  # a rule, since it ends in a digit
        ("SEDE", "no rule or family 'SEDE'; did you mean 'SEED'"),
        ("SEED,RUN99", "no rule or family 'RUN99'"),
        ("S", "no rule or family 'S'"),
        (" , ", "found ' , ', wanted rules or families"),
    ],
)
def test_what_is_no_rule_and_no_family_is_refused(capsys, wanted, message):
    assert check.main(["--explain", wanted]) == 2
    assert message in capsys.readouterr().err
