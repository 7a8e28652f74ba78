"""What can be held against what: the same problem, also across editions, and instances of one size."""

from dataclasses import replace

import pytest

from results import comparable
from results.comparable import obstacle, remarks
from rules.edition import load


@pytest.fixture
def two(tree, new_log):
    for i, org in enumerate("ab"):
        tree.set(new_log.five(epochs=5, seed=100 * i), org=org)
    return tree.results()


@pytest.fixture
def across(two, monkeypatch):
    """Results of two editions: v1.0, and `next`, in which the problem has these changes; None if it is not there."""

    def make(changes):
        old = load("v1.0")
        problems = {} if changes is None else {"smoke": replace(old.problems["smoke"], **changes)}
        monkeypatch.setattr(comparable, "load", {"v1.0": old, "next": replace(old, problems=problems)}.__getitem__)
        a, b = two
        return a, replace(b, judged=replace(b.judged, edition="next"), group=("next", *b.group[1:]))

    return make


def test_problems_divisions_and_rounds_are_told_apart(two, across):
    a, b = across({})
    assert obstacle(a, b) == ""
    assert remarks(a, b) == ["the problem is the same, the rules are not (v1.0, next)"]
    opened = replace(two[1], group=(*two[1].group[:4], "open"))
    assert remarks(two[0], opened) == ["the divisions differ (closed, open)"]
    other = replace(two[1], group=("v1.0", "scaffold", "", "strong", "closed"))
    assert obstacle(two[0], other) == "of different problems (smoke, none named)"


def test_an_edition_that_changes_the_problem_makes_another(across):
    assert obstacle(*across({"target": 0.9, "data_seed": 7})) == (
        "smoke of v1.0 and of next differ in target, data_seed"
    )
    assert obstacle(*across({"reference_epochs": {}, "replay": {}, "bytes": {}})) == ""


def test_where_an_edition_does_not_publish_the_problem_logs_decide(across):
    a, b = across(None)
    assert obstacle(a, b) == ""
    larger = replace(b, rows=tuple(row._replace(train_samples=101.0) for row in b.rows))
    assert obstacle(a, larger) == "smoke of v1.0 and of next differ in train_samples (100, 101)"
    unsaid = replace(b, rows=tuple(row._replace(target=None) for row in b.rows))
    assert obstacle(a, unsaid).startswith("whether smoke of v1.0 and of next are the same is not known: no target")


def test_instances_of_one_size(tree, new_log):
    for org, count in (("a", 4), ("b", 4), ("c", 8)):
        logs = [new_log.scaffold(100, seed=i, accelerators_per_node=count) for i in range(4)]
        tree.set(logs, org=org, scaling="weak")
    a, b, c = tree.results()
    assert obstacle(a, b) == "" and obstacle(a, c) == "instances of different size (4 and 8 accelerators)"
    unknown = replace(a, models=replace(a.models, instance=None))
    assert obstacle(unknown, b) == "how large their instances are is not known"
