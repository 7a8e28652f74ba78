"""The page of tensors: names and shapes of the reference's networks."""

import pytest

from perf.pages.tensors import page, shapes, sum_of, tensors
from rules.edition import load

PROBLEMS = load("v1.0").problems


@pytest.mark.parametrize("problem", ["smoke", "scale7", "scale11", "cosmoflow-v0.7", "cosmoflow-mini", "deepcam-mini"])
def test_a_file_has_as_many_numbers_as_the_rules_say(problem):
    assert sum_of(problem) == PROBLEMS[problem].parameter_count + PROBLEMS[problem].buffer_count


def test_shapes_in_words():
    assert shapes("smoke")["down.0.0.weight"] == "16 x 1 x 3 x 3 x 3" and tensors("smoke")["head.bias"] == (6,)
    assert next(name for name in shapes("deepcam-mini") if "middle" in name) == "encoder.middle.i.body.0.0.weight"


def test_blocks_of_the_middle_are_alike():
    found = tensors("deepcam-mini")
    first = {name.partition(".0.")[2]: s for name, s in found.items() if name.startswith("encoder.middle.0.")}
    last = {name.partition(".3.")[2]: s for name, s in found.items() if name.startswith("encoder.middle.3.")}
    assert first == last and first


def test_the_page_has_a_table_for_each_workload():
    text = page()
    assert text.count("| tensor |") == 4 and "| `up.4.3.bias` |  |  |  | 64 |" in text
