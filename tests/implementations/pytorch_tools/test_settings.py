"""Tables of settings: each is explained and classified, and the guide has them as they are."""

import dataclasses
from dataclasses import dataclass

import pytest

from benchmark.config import machine_settings, read_yaml
from benchmark.workload import problem_files
from compliance.families.hyperparameters import _violates
from implementations.pytorch.config import config_path
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.task import config_class
from implementations.pytorch_tools import settings
from rules.edition import load
from tests.support.settings import load_config

BENCHMARKS = load("v1.0").benchmarks
PROBLEMS = {name: file.parent.name for file in problem_files() for name in read_yaml(file)}


@dataclass(frozen=True)
class Tuned(Config):
    """What a copy of the reference may have."""

    graphs: bool = False  # whole steps are captured

    beta_2: float = 0.9


def outside(values, benchmark):
    """The settings that the closed division does not let be what they are."""
    known = BENCHMARKS[benchmark].settings
    return [name for name, value in values.items() if name in known and _violates(value, known[name].within("closed"))]


@pytest.mark.parametrize("benchmark", sorted(BENCHMARKS))
def test_every_setting_has_its_meaning(benchmark):
    cls = config_class(benchmark)
    assert settings.meanings(cls).keys() == {field.name for field in dataclasses.fields(cls)}


def test_a_copys_own_setting_is_for_people_and_keeps_its_comment():
    found = settings.meanings(Tuned)
    assert found["graphs"] == "whole steps are captured"
    assert found["beta_2"] == settings.meanings(Config)["beta_2"]
    assert settings.change(None, "closed") == settings.UNKNOWN and settings.change(None, "open") == "yes"


@pytest.mark.parametrize("problem", PROBLEMS)
def test_published_configs_keep_the_closed_division(problem):
    config = load_config(config_class(PROBLEMS[problem]), config_path(problem))
    assert outside({**config.fields(), "precision": "bfloat16"}, PROBLEMS[problem]) == []  # resolved from auto


@pytest.mark.parametrize(
    ("name", "division", "text"),
    [
        ("background_weight", "closed", "no: 0.02"),
        ("background_weight", "open", "yes"),
        ("average_epochs", "closed", "yes: from 0 to 2.5"),
        ("beta_2", "closed", "yes: 0.99, 0.999"),
        ("learning_rate", "open", "yes: above 0"),
    ],
)
def test_what_may_change(name, division, text):
    assert settings.change(BENCHMARKS["scaffold"].settings[name], division) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"smoke": "2"}, "2"),
        ({"a": "2", "b": "2"}, "2"),
        ({"a": "8", "b": "4", "c": "1", "d": "1"}, "1 (a: 8; b: 4)"),
        ({"a": "8", "b": "1", "c": "8", "d": "1", "e": "1"}, "1 (a, c: 8)"),
    ],
)
def test_a_default_names_the_problems_that_differ(values, text):
    assert settings.default(values) == text


def test_a_problems_table_has_its_own_defaults(capsys):
    assert settings.main(["--problem", "smoke"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(dataclasses.fields(Config))
    assert lines[2] == "| `batch_size` | samples a step, over all ranks | 2 | yes: from 1 | yes: from 1 |"
    machine = machine_settings(Config)
    assert [line.split("`")[1] for line in lines[-len(machine) :]] == machine
    assert all(line.endswith(" | yes | yes |") for line in lines[-len(machine) :])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--problem", "smok"], "problems.yaml: no problem 'smok'; did you mean 'smoke'?; or --problems"),
        (["--implementation", "acme"], "--implementation: found no config.py in acme, wanted a copy of pytorch"),
    ],
)
def test_what_has_no_settings(arguments, said, capsys):
    assert settings.main(arguments) == 2
    assert capsys.readouterr().err == f"settings.py: {said}\n"
