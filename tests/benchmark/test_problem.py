import dataclasses
import re

import pytest

from benchmark.problem import load_problem


def test_unknown_problem(tmp_path):
    with pytest.raises(ValueError, match=re.escape("no problem 'smok'; did you mean 'smoke'?; or --problems")):
        load_problem("smok")
    file = tmp_path / "mine.yaml"
    file.write_text("tiny: {}")
    with pytest.raises(ValueError, match=r"^mine\.yaml: no problem 'smok'; known: tiny$"):
        load_problem("smok", file)


def test_digest_covers_every_field(tiny):
    assert tiny.digest() == dataclasses.replace(tiny).digest()
    assert tiny.digest() != dataclasses.replace(tiny, data_seed=1).digest()
    brighter = dataclasses.replace(tiny.intensity, foreground=(100, 201))
    assert tiny.digest() != dataclasses.replace(tiny, intensity=brighter).digest()


def test_the_training_samples_come_first(tiny):
    assert (tiny.split_samples("train"), tiny.split_samples("validation")) == (range(4), range(4, 6))
    with pytest.raises(ValueError, match="found split 'test'"):
        tiny.split_samples("test")
