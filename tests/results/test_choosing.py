"""Which sets are compared with which."""

from dataclasses import replace

import pytest

from compliance.engine import judge
from results import choosing
from results.choosing import comparisons, placed


@pytest.fixture
def chosen(tree, new_log):
    """Writes sets given as (organisation, system, problem, scaling), and chooses among paths below the round."""

    def choose(sets, *paths):
        for org, system, problem, scaling in sets:
            logs = [new_log.scaffold(50, problem=problem)]
            tree.set(logs, org=org, system=system, scaling=scaling)
        given = [tree.root / "v1.0" / path for path in paths]
        return [[(r.label, *r.group[2:4]) for r in group] for group in comparisons(given, judge(given), True)]

    return choose


def test_sets_meet_problem_by_problem_in_the_paths_order(chosen):
    sets = [("a", "x", "smoke", "strong"), ("a", "y", "scale6", "strong"), ("a", "z", "smoke", "weak")]
    sets += [("b", "x", "smoke", "strong"), ("b", "y", "scale6", "strong"), ("b", "w", "scale7", "strong")]
    assert chosen(sets, "b", "a") == [
        [("b/y", "scale6", "strong"), ("a/y", "scale6", "strong")],
        [("b/x", "smoke", "strong"), ("a/x", "smoke", "strong")],
    ]


def test_a_set_in_two_paths_is_compared_once(chosen):
    """As found: a set and its round made ratios of the set to itself, which widened the intervals of the others."""
    sets = [("a", "x", "smoke", "strong"), ("b", "x", "smoke", "strong")]
    assert chosen(sets, "b/results/x", ".") == [[("b/x", "smoke", "strong"), ("a/x", "smoke", "strong")]]


def test_nothing_to_compare_is_said(chosen):
    with pytest.raises(ValueError, match="found 2 sets, wanted at least 2 of one benchmark") as error:
        chosen([("a", "x", "smoke", "strong"), ("a", "y", "scale6", "strong")], "a")
    assert "strong/scaffold (scaffold scale6 strong)" in str(error.value) and "\n" not in str(error.value)


def test_a_set_without_a_score_is_placed_in_its_division(tree, new_log):
    for org, seconds, division in (("a", 60, "closed"), ("b", 50, "closed"), ("c", 40, "open")):
        tree.set(new_log.five(seconds, submission_division=division), org=org)
    ((a, *others),) = comparisons([tree.root], judge([tree.root]), True)
    refused = replace(a, why="failed the check")
    assert a.would_stand is None and placed(refused, [refused, *others]).would_stand == (2, 2)


def test_a_comparison_has_a_letter_for_each_set(chosen, monkeypatch):
    sets = [("a", "x", "smoke", "strong"), ("b", "x", "smoke", "strong")]
    monkeypatch.setattr(choosing, "MOST", 2)
    assert len(chosen(sets, "a", "b")[0]) == 2
    monkeypatch.setattr(choosing, "MOST", 1)
    with pytest.raises(ValueError, match="found 2 sets of scaffold smoke strong, wanted at most 1"):
        chosen(sets, "a", "b")
