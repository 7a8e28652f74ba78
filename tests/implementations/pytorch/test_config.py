import re

import pytest
import torch

from benchmark.launch import Launch
from implementations.pytorch.config import CONFIGS, MOST_THREADS, RunConfig, gpu_of, resolve
from implementations.pytorch.cosmoflow.task import Config as CosmoFlow
from implementations.pytorch.deepcam.task import Config as DeepCam
from implementations.pytorch.scaffold.task import Config
from implementations.pytorch.scaffold_published.task import Config as Published
from tests.support.settings import load_config

DECAY, GROUP = "decay_epochs and decay_factors: found", "batchnorm_group_size"


def test_big_problems_have_one_schedule():
    first, *others = (load_config(Config, CONFIGS / f"scale{scale}.yaml") for scale in range(7, 12))
    assert others == [first] * 4 and first.gradient_clip == 1.0


@pytest.mark.parametrize(
    ("config", "settings", "said"),
    [
        (Config, {"accumulate": 2}, "accumulate: found 2, wanted at most 1"),
        (RunConfig, {"recompute": True, "recompute_norms": True}, "recompute_norms: found true beside recompute"),
        (CosmoFlow, {"dropout": 1.0}, "dropout: found 1.0, wanted less than 1"),
        (CosmoFlow, {"base_learning_rate": 0.0}, "base_learning_rate: found 0.0, wanted more than 0"),
        (CosmoFlow, {"decay_epochs": (3, 2)}, f"{DECAY} [3, 2] and [0.25, 0.125], wanted as many, in order of epoch"),
        (CosmoFlow, {"decay_factors": (0.5,)}, f"{DECAY} [32, 64] and [0.5], wanted as many, in order of epoch"),
        (DeepCam, {"recompute": True}, "recompute: found true, wanted false"),
        (DeepCam, {"average_epochs": 0.9}, "average_epochs: found 0.9, wanted 0"),
        (DeepCam, {"batchnorm_group_size": 2, "layout": (3, 1, 1, 1)}, f"{GROUP}: found 2, wanted a divisor of 3"),
        (DeepCam, {"optimizer": "SGD"}, "optimizer: found 'SGD', wanted one of LAMB, Adam, AdamW"),
        (DeepCam, {"schedule": "linear"}, "schedule: found 'linear', wanted one of multistep, cosine_annealing"),
        (DeepCam, {"warmup_factor": 0.5}, "warmup_factor: found 0.5, wanted 1 or more"),
    ],
)
def test_impossible_settings_are_refused(config, settings, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        config(**settings)


@pytest.mark.parametrize(
    ("most", "names"),
    [
        (2**20, "batch_size eval_batch_size accumulate"),
        (10**6, "epochs peak_tflops"),
        (1024, "threads workers prefetch"),
        (65_536, "cache_gib"),
        (604_800, "timeout_seconds"),
    ],
)
def test_settings_have_an_upper_bound(most, names):
    for name in names.split():
        assert getattr(RunConfig(**{name: most}), name) == most
        with pytest.raises(ValueError, match=rf"^{name}: found {most + 1}(\.0)?, wanted at most "):
            RunConfig(**{name: most + 1})


@pytest.mark.parametrize("config", [Config, Published, DeepCam])
@pytest.mark.parametrize("name", ["beta_1", "beta_2"])
def test_averages_of_gradients_forget(config, name):
    assert getattr(config(**{name: 0.0}), name) == 0
    for value, wanted in ((1.0, "less than 1"), (-0.1, "0 or more")):
        with pytest.raises(ValueError, match=f"^{name}: found {value}, wanted {wanted}$"):
            config(**{name: value})


def test_resolved_config_says_what_runs():
    config = resolve(Config(device="cpu"), cores=2)
    assert (config.device, config.threads) == ("cpu", 2) and config.precision in ("float32", "bfloat16")
    assert config.digest() != Config().digest()
    threads = [resolve(Config(device="cpu"), cores).threads for cores in (1023, 1024, 1025)]
    assert threads == [1023, MOST_THREADS, MOST_THREADS]  # as many as may be


@pytest.mark.parametrize(
    "facts, precision",
    [
        ("", "float32"),
        ("avx512_bf16", "bfloat16"),
        ("avx512_bf16 avx512_fp16", "float32"),
        ("avx512_bf16 avx512_fp16 amx_tile", "bfloat16"),
        ("amx_tile", "bfloat16"),
    ],
)
def test_bfloat16_where_the_processor_is_faster_with_it(monkeypatch, facts, precision):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(facts.split(), True), raising=False)
    for name in ("avx512_bf16", "amx_tile"):
        monkeypatch.setattr(torch.cpu, f"_is_{name}_supported", lambda name=name: name in facts, raising=False)
    assert resolve(Config(device="cpu"), cores=2).precision == precision


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
    ("rank", "ranks", "found", "visible", "gpu"),
    [
        (3, 4, 4, None, 3),  # all ranks see all GPUs of the node
        (1, 2, 4, "4,5,6,7", 1),  # more than are needed
        (3, 4, 1, "3", 0),  # each sees its own
        (0, 1, 1, None, 0),
    ],
)
def test_a_rank_has_its_own_gpu(gpus, monkeypatch, rank, ranks, found, visible, gpu):
    gpus(found, visible)
    assert gpu_of(Launch(rank, ranks, rank, ranks, "slurm")) == gpu
    for name in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):  # AMD's
        gpus(1, None)
        monkeypatch.setenv(name, "3")
        assert gpu_of(Launch(3, 4, 3, 4, "slurm")) == 0
        monkeypatch.delenv(name)


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
