import math

import pytest

from benchmark.config import read_yaml
from benchmark.problem import load_problem
from benchmark.workload import problem_files
from implementations.pytorch.config import CONFIGS, config_path, load_config, resolve
from implementations.pytorch.scaffold.schedule import cosine_warm_restarts as learning_rate
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.task import config_class


def test_every_problem_has_a_config():
    for name in (name for file in problem_files() for name in read_yaml(file)):
        problem = load_problem(name)
        config = load_config(config_class(problem.workload), config_path(name), [])
        assert config.batch_size <= problem.train_samples


def test_big_problems_have_the_papers_schedule():
    config = load_config(Config, CONFIGS / "scale11.yaml", [])
    found = (config.learning_rate, config.end_learning_rate, config.restart_epochs, config.restart_factor)
    assert found == (1e-3, 1e-4, 100, 2) and config.gradient_clip == 1.0


def test_assignments_override_the_file():
    assert load_config(Config, CONFIGS / "smoke.yaml", ["learning_rate=1e-2", "workers=3"]).learning_rate == 0.01


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("learning_rat=1", "did you mean 'learning_rate'"),
        ("batch_size=0", "batch_size: found 0"),
        ("epochs=1.5", "wanted int"),
        ("precision=float8", "wanted one of auto, float32, bfloat16"),
        ("epochs", "wanted field=value"),
        ("accumulate=2", "accumulate: found 2, wanted 1"),
    ],
)
def test_bad_assignments_are_named(assignment, message):
    with pytest.raises(ValueError, match=message):
        load_config(Config, CONFIGS / "smoke.yaml", [assignment])


def test_resolved_config_says_what_runs():
    config = resolve(Config(device="cpu"), cores=8, local_ranks=3)
    assert (config.device, config.threads) == ("cpu", 2) and config.precision in ("float32", "bfloat16")
    assert config.digest() != Config().digest()


def test_cosines_restart_and_grow():
    config = Config(learning_rate=1e-3, end_learning_rate=1e-4, restart_epochs=10, restart_factor=2)
    assert learning_rate(config, 0) == learning_rate(config, 10) == learning_rate(config, 30) == 1e-3
    assert math.isclose(learning_rate(config, 5), 5.5e-4) and math.isclose(learning_rate(config, 20), 5.5e-4)
    assert learning_rate(config, 9.999) < 1.001e-4 and learning_rate(config, 29.999) < 1.001e-4


def test_warm_up_is_linear():
    config = Config(warmup_epochs=2, restart_epochs=10**6)
    assert math.isclose(learning_rate(config, 1), config.learning_rate / 2, rel_tol=1e-6)
