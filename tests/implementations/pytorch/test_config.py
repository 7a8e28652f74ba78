import math

import pytest
import torch

from benchmark.config import read_yaml
from benchmark.launch import Launch
from benchmark.problem import load_problem
from benchmark.workload import problem_files
from implementations.pytorch.config import CONFIGS, config_path, gpu_of, load_config, resolve
from implementations.pytorch.scaffold.task import Config, Task
from implementations.pytorch.task import config_class


def test_every_problem_has_a_config():
    for name in (name for file in problem_files() for name in read_yaml(file)):
        problem = load_problem(name)
        config = load_config(config_class(problem.workload), config_path(name), [])
        assert config.batch_size <= problem.train_samples


@pytest.mark.parametrize("scale", range(7, 12))
def test_big_problems_have_one_schedule(scale):
    first, config = (load_config(Config, CONFIGS / f"scale{s}.yaml", []) for s in (11, scale))
    assert config == first and config.gradient_clip == 1.0


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


@pytest.fixture
def gpus(monkeypatch):
    """The function that shows this process so many GPUs, by CUDA_VISIBLE_DEVICES or not."""

    def show(found: int, visible: str | None) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: found > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: found)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        if visible is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)

    return show


@pytest.mark.parametrize(
    ("local_rank", "local_ranks", "found", "visible", "gpu"),
    [
        (3, 4, 4, None, 3),  # all ranks see all GPUs of the node
        (1, 2, 4, "4,5,6,7", 1),  # more than are needed
        (3, 4, 1, "3", 0),  # each sees its own
        (0, 1, 1, None, 0),
    ],
)
def test_a_rank_has_its_own_gpu(gpus, local_rank, local_ranks, found, visible, gpu):
    gpus(found, visible)
    assert gpu_of(Launch(local_rank, local_ranks, local_rank, local_ranks, "slurm")) == gpu


@pytest.mark.parametrize(
    ("found", "visible", "message"),
    [
        (0, None, "found no GPU that PyTorch .* can use"),
        (1, None, "found 1 GPU, wanted 4, one for each rank of the node"),
        (2, "0,1", "found 2 GPUs, wanted 4"),
    ],
)
@pytest.mark.parametrize("local_rank", [0, 3])
def test_too_few_gpus_are_every_ranks_error(gpus, local_rank, found, visible, message):
    gpus(found, visible)
    with pytest.raises(ValueError, match=f"^device: {message}"):
        gpu_of(Launch(local_rank, 4, local_rank, 4, "torchrun"))


def learning_rate(config, epoch):
    return Task(None, config).learning_rate(epoch)


def test_the_rate_falls_along_a_cosine_and_stays_at_its_end():
    config = Config(learning_rate=1e-3, end_learning_rate=1e-4, decay_epochs=10)
    assert learning_rate(config, 0) == 1e-3 and math.isclose(learning_rate(config, 5), 5.5e-4)
    assert 1e-4 < learning_rate(config, 9.999) < 1.001e-4
    assert learning_rate(config, 10) == learning_rate(config, 25) == 1e-4


def test_warm_up_is_linear():
    config = Config(warmup_epochs=2, decay_epochs=10**6)
    assert math.isclose(learning_rate(config, 1), config.learning_rate / 2, rel_tol=1e-6)
