"""What rules need of a problem: each number left out, or one that nothing could fail, is refused by name."""

import copy
import shutil

import pytest
import yaml

import compliance.families  # noqa: F401  registers the checks
from benchmark.config import read_yaml
from compliance.reading.needs import complete, have_classes, refuse_gaps
from compliance.rule import CHECKS
from rules.current import ROOT
from rules.edition import load

LIMITS = read_yaml(ROOT / "v1.0" / "limits.yaml")
CODES = load("v1.0").codes
NEEDS = {code: check.needs for code, check in CHECKS.items() if check.needs}
NUMBERS = [(name, code) for code, names in NEEDS.items() for name in names if name != "outputs"]


def changed(problem, name, value):
    """A problem of v1.0 with another value, or without it."""
    values = inner = copy.deepcopy(LIMITS["problems"][problem])
    *folders, last = name.split(".")
    for folder in folders:
        inner = inner[folder]
    inner.pop(last)
    if value is not None:
        inner[last] = value
    return values


@pytest.mark.parametrize("problem", LIMITS["problems"])
def test_the_published_problems_have_all_that_rules_need(problem):
    values = LIMITS["problems"][problem]
    scores = {name: fields.get("score") for name, fields in LIMITS["benchmarks"].items()}
    classes = have_classes(LIMITS["problems"], scores)
    assert classes == {"scaffold", "deepcam"}
    refuse_gaps(values, CODES, scores[values["benchmark"]] == "mean", values["benchmark"] in classes, "x")


@pytest.mark.parametrize(("name", "code"), NUMBERS)
@pytest.mark.parametrize("value", [None, 0, -1, True, "", "7", [], [0]])
def test_a_number_that_is_left_out_or_holds_nothing_is_refused_with_its_rule(name, code, value):
    with pytest.raises(ValueError, match=rf"^problems\.x: found no {name} \({code}\), wanted the numbers that"):
        refuse_gaps(changed("smoke", name, value), CODES, False, True, "problems.x")
    refuse_gaps(changed("smoke", name, value), CODES - {code}, False, True, "problems.x")  # no rule needs it


def test_a_mean_needs_its_outputs_and_a_digest_is_one():
    for value in (None, 0):
        with pytest.raises(ValueError, match=r"found no outputs \(EVL13\)"):
            refuse_gaps(changed("deepcam-mini", "outputs", value), CODES, True, True, "x")
    for digest in ("a" * 63, "A" * 64, "a" * 65):
        with pytest.raises(ValueError, match=r"found no problem_digest \(DATA04\)"):
            refuse_gaps(changed("smoke", "problem_digest", digest), CODES, False, True, "x")
    assert NEEDS["EVL13"] == ("outputs",) and len(NUMBERS) == 9


def test_data_of_a_site_has_no_fingerprints_and_says_so():
    values = LIMITS["problems"]["deepcam"]
    refuse_gaps(values, CODES, True, True, "x")
    bare = {name: value for name, value in values.items() if name != "site_data"}
    with pytest.raises(ValueError, match=r"fingerprints\.train \(DATA01\), .* class_counts\.validation \(DATA03\)"):
        refuse_gaps(bare, CODES, True, True, "x")


def test_benchmarks_have_classes_by_their_score_or_by_one_of_their_problems():
    scores = {"a": "dice", "b": "mean", "c": None, "d": "mean"}
    problems = {"x": {"benchmark": "b", "class_counts": {"train": [1]}}, "y": {"benchmark": "d"}, "z": None}
    assert have_classes(problems, scores) == {"a", "b"}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda p: p["smoke"].pop("parameter_count"), r"problems\.smoke: found no parameter_count \(MOD01\)"),
        (
            lambda p: p.update(new={**p["deepcam-mini"], "class_counts": {}}),
            r"problems\.new: found no class_counts\.train \(DATA03\), class_counts\.validation \(DATA03\)",
        ),
    ],
)
def test_an_edition_with_a_gap_is_refused_by_its_name(law, tmp_path, change, found):
    assert complete("v1.0", law).rules.keys() == load("v1.0", law).rules.keys()
    root = shutil.copytree(law, tmp_path / "rules")
    limits = yaml.safe_load((root / "v1.0" / "limits.yaml").read_text())
    change(limits["problems"])
    (root / "v1.0" / "limits.yaml").write_text(yaml.safe_dump(limits))
    with pytest.raises(ValueError, match=rf"^v1\.0/limits\.yaml: {found}"):
        complete("v1.0", root)
