import dataclasses

import pytest

from benchmark.deepcam import shortcut
from benchmark.problem import load_problem


@pytest.mark.slow
def test_shortcuts_that_see_one_pixel_stay_far_from_the_target():
    problem = dataclasses.replace(load_problem("deepcam-mini"), train_samples=16, validation_samples=6)
    found = list(shortcut.shortcuts(problem, 1))
    assert tuple(score.name for score in found) == shortcut.KINDS
    scores = {score.name: score.value for score in found}
    assert scores["background"] < 0.33
    assert max(scores[kind] for kind in ("naive", "linear", "quadratic")) < 0.55
    assert scores["blurred"] < problem.target


@pytest.mark.slow
def test_shortcut_classifiers_find_what_one_pixel_tells():
    """Without noise of single values and with a strong signal: the must-find case."""
    mini = load_problem("deepcam-mini")
    loud = dataclasses.replace(mini.twin, grain=0.0, contrast=(6.0, 6.0), wind=(6.0, 6.0), decoys=(0, 0))
    few = dataclasses.replace(mini, twin=loud, train_samples=8, validation_samples=4)
    scores = {score.name: score.value for score in shortcut.shortcuts(few, 1)}
    assert scores["quadratic"] > 0.8
