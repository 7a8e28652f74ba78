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


@pytest.mark.parametrize(
    "text, message",
    [
        ("", r"mine\.yaml: found NoneType, wanted problems by their names$"),
        ("tiny: 3", r"^mine\.yaml: tiny: found 3, wanted the fields of a problem$"),
        ("3: {}", r"^mine\.yaml: no problem 'tiny'; known: 3$"),
    ],
)
def test_a_file_of_something_else_is_named(tmp_path, text, message):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_problem("tiny", file)


def test_digest_covers_every_field(tiny):
    assert tiny.digest() == dataclasses.replace(tiny).digest()
    assert tiny.digest() != dataclasses.replace(tiny, data_seed=1).digest()
    brighter = dataclasses.replace(tiny.intensity, foreground=(100, 201))
    assert tiny.digest() != dataclasses.replace(tiny, intensity=brighter).digest()


def test_the_training_samples_come_first(tiny):
    assert (tiny.split_samples("train"), tiny.split_samples("validation")) == (range(4), range(4, 6))
    with pytest.raises(ValueError, match="found split 'test'"):
        tiny.split_samples("test")
