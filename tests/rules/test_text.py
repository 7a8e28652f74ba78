import re

import pytest

from benchmark.config import read_yaml
from rules.current import ROOT, editions
from rules.edition import load
from rules.text import read_texts

TEXTS = read_texts(ROOT / "texts")


def test_every_rule_is_in_force_in_some_edition():
    assert set(TEXTS) == {code for name in editions() for code in load(name).rules}


def test_a_rule_stands_where_it_says_and_has_a_reason():
    for code, rule in TEXTS.items():
        path, line = rule.place.rsplit(":", 1)
        assert path == f"rules/texts/{code.rstrip('0123456789')}.md"
        assert rule.path.read_text().splitlines()[int(line) - 1] == f"## {code} {rule.sentence}"
        assert len(rule.reason) > 20 and rule.by_review == code.endswith("90"), code


def test_a_rule_that_a_program_checks_says_how_to_fix_a_fault():
    """The checker prints it below the findings."""
    assert not [code for code, rule in TEXTS.items() if bool(rule.fix) == rule.by_review]
    assert not [code for code, rule in TEXTS.items() if "|" in rule.fix]  # it stands in a cell of a table
    assert TEXTS["SEED02"].fix == "log the integer itself."


def test_the_finding_of_a_checked_rule_says_what_is_wrong():
    checked = [rule for rule in TEXTS.values() if not rule.by_review]
    assert not [rule.code for rule in checked if rule.finding == rule.sentence]
    assert not [rule.code for rule in checked if not rule.finding[0].isupper() and "_" not in rule.finding.split()[0]]
    assert len({rule.finding for rule in checked}) == len(checked)
    assert TEXTS["SEED05"].finding == "Two runs have the same seed"


def test_a_finding_is_one_sentence_without_its_stop(tmp_path):
    (tmp_path / "LOG.md").write_text(
        "## LOG01 One\n\nFinding: Not one\nat all.\n\nReason.\n\n## LOG02 Two\n\nReason.\n\nFinding: Late.\n"
    )
    known = read_texts(tmp_path)
    assert (known["LOG01"].finding, known["LOG02"].finding) == ("Not one at all", "Two")


def test_no_text_holds_a_number_of_an_edition():
    held = {n for name in editions() for n in numbers(read_yaml(ROOT / name / "limits.yaml")) if n not in (0, 1)}
    for rule in TEXTS.values():
        prose = re.sub(r"`[^`]*`", "", f"{rule.sentence}\n{rule.reason}")
        found = {float(n) for n in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?\b", prose)}
        assert not found & held, rule.code


def numbers(value):
    """Every number that a YAML value holds, but those measured of runs of the reference."""
    if isinstance(value, dict):
        yield from numbers([part for name, part in value.items() if name != "reference_epochs"])
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif type(value) in (int, float):
        yield float(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("## LOG01 One\n\nReason.\n\n## LOG01 Two\n\nReason.\n", r"LOG\.md:5: rule LOG01 is given twice, .*:1"),
        ("# LOG\n\n## LOG01 One\n\n## LOG02 Two\n\nReason.\n", r"LOG\.md:3: rule LOG01 has no reason"),
        ("## LOG01 One\n\nReason.\n\n## Log02 Two\n\nReason.\n", r"LOG\.md:5: found '## Log02 Two', wanted ## CODE"),
        ("## CLK01 One\n\nReason.\n", r"LOG\.md:1: found CLK01, wanted a rule of the family LOG"),
    ],
)
def test_what_is_wrong_in_a_text_is_refused(tmp_path, text, message):
    (tmp_path / "LOG.md").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_texts(tmp_path)
