"""Logs that are given together: copies and replays are seen whichever round they were handed in to."""

import shutil

import pytest

from compliance.engine import judge


@pytest.fixture
def rounds(tree, law, tmp_path):
    """The same runs in two rounds of different rules: a copy of the editions where another one has the same numbers."""
    rules = tmp_path / "rules"
    shutil.copytree(law, rules)
    shutil.copytree(rules / "v1.0", rules / "v9.1")
    other = tmp_path / "v9.1" / "acme"
    shutil.copytree(tree.root, other)
    return rules, other


def test_a_copy_in_another_round_is_for_people_to_judge(tree, rounds):
    rules, other = rounds
    verdict = judge([tree.root, other], rules=rules)
    assert verdict.editions == ("v1.0", "v9.1")
    copies = [f for f in verdict.findings if f.code == "RUN05"]
    assert len(copies) == 10 and {f.severity for f in copies} == {
        "review"
    }  # on both sides: logs do not tell who copied


def test_a_seed_of_another_round_is_for_people_to_judge(tree, rounds, logs):
    rules, other = rounds
    log = logs.good(11)
    log.one("seed")["value"] = tree.logs[1].one("seed")["value"]
    for index in range(5):
        (logs.good(20 + index) if index else log).write(other / tree.path(index).relative_to(tree.root))
    verdict = judge([tree.root, other], rules=rules)
    found = [f for f in verdict.findings if f.code == "SEED05"]
    assert {f.severity for f in found} == {"review"}
    assert {f.path for f in found} == {str(tree.path(1)), str(other / tree.path(0).relative_to(tree.root))}


def test_replays_of_a_set_are_one_finding_that_counts(tree, law):
    for index in (1, 2):
        for event, first in zip(tree.logs[index].all("eval_accuracy"), tree.logs[0].all("eval_accuracy"), strict=True):
            event["value"] = first["value"]
            event["metadata"].update({k: first["metadata"][k] for k in ("intersection", "predicted", "true")})
        tree.write(index)
    (finding,) = [f for f in judge([tree.root], rules=law).findings if f.code == "RUN06"]
    assert finding.found.startswith("scores 5 of 5 of result_1.txt, 5 of 5 of result_2.txt equal those of ")


@pytest.mark.parametrize(("equal", "codes"), [(0, []), (1, ["RUN20"]), (2, ["RUN20"]), (3, ["RUN06"])])
def test_three_equal_scores_in_a_row_make_a_replay(tree, law, equal, codes):
    first, log = tree.logs[0].all("eval_accuracy"), tree.logs[1].all("eval_accuracy")
    for event, other in list(zip(log, first, strict=True))[:equal]:
        event["value"] = other["value"]
        event["metadata"].update({k: other["metadata"][k] for k in ("intersection", "predicted", "true")})
    tree.write(1)
    assert [f.code for f in judge([tree.root], rules=law).findings] == codes
