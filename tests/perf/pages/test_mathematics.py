"""docs/mathematics.md: what it says is what the reference computes."""

import math
import re

import numpy as np
import pytest
import torch
from numpy.random import RandomState
from torch import nn

from benchmark.problem import load_problem
from benchmark.run.seeds import Stream, sample_order, stream_seed
from implementations.pytorch.task import build_task
from perf.settings import reference_settings
from tests.support import ROOT

TEXT = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
SEED = 7203841165930284517  # of the page's example
ROUNDING = 1e-6


def draws() -> dict:
    """The functions of the page's listing."""
    names: dict = {}
    exec(re.search(r"<!-- listing: draws -->\n```python\n(.*?)```", TEXT, re.DOTALL)[1], names)
    return names


def task(problem: str, *settings: str):
    return build_task(load_problem(problem), reference_settings(problem, settings))


def model(problem: str) -> nn.Module:
    """The network of a run with the page's seed, before its first step."""
    torch.manual_seed(stream_seed(SEED, Stream.WEIGHTS))
    return task(problem).build_model()


def convolutions(*modules: nn.Module) -> list[nn.Module]:
    kinds = nn.modules.conv._ConvNd | nn.Linear
    return [module for part in modules for module in part.modules() if isinstance(module, kinds)]


def compare_usual(layers: list[nn.Module], words: RandomState) -> None:
    """Assert that layer after layer is drawn within the usual bounds."""
    for layer in layers:
        bound = 1 / math.sqrt(layer.weight[0].numel())
        for tensor in (layer.weight, layer.bias):
            if tensor is not None:
                assert (draws()["uniform"](words, tuple(tensor.shape), bound) == tensor.detach().numpy()).all()


def test_the_words_of_the_example():
    words = [stream_seed(SEED, Stream.WEIGHTS), *(stream_seed(SEED, Stream.ORDER, epoch) for epoch in (1, 2))]
    assert all(f"{word} for" in TEXT.replace("\n", " ") for word in words)


def test_the_first_batches_of_the_example():
    first = sample_order(SEED, 1, range(168))[:6]
    assert "({}, {}), ({}, {}), ({}, {})".format(*first) in TEXT


def test_usual_bounds_in_the_order_of_scaffolds_layers():
    found, words = model("smoke"), RandomState(stream_seed(SEED, Stream.WEIGHTS))
    compare_usual(convolutions(found.down, found.bottom, found.rise, found.up, found.head), words)
    shown = [f"{number:.7f}" for number in (*found.down[0][0].weight.flatten()[:3], *found.head.bias[-2:])]
    assert [number for number in shown if number not in TEXT] == []


def test_cosmoflows_weights_follow_as_many_words_as_weights():
    found, words = model("cosmoflow-mini"), RandomState(stream_seed(SEED, Stream.WEIGHTS))
    words.randint(0, 2**32, sum(p.numel() for p in found.parameters()), np.uint32)
    for layer in convolutions(found.blocks, found.hidden, found.head):
        out, into, taps = layer.weight.shape[0], layer.weight.shape[1], math.prod(layer.weight.shape[2:])
        drawn = draws()["uniform"](words, tuple(layer.weight.shape), math.sqrt(6 / ((out + into) * taps)))
        assert (drawn == layer.weight.detach().numpy()).all() and not layer.bias.any()


def test_deepcams_weights():
    found, words = model("deepcam-mini"), RandomState(stream_seed(SEED, Stream.WEIGHTS))
    normal = convolutions(found.encoder, found.pyramid.branches)
    words.randint(0, 2**32, sum(layer.weight.numel() for layer in normal), np.uint32)
    rest = convolutions(found.pyramid.whole, found.pyramid.join, found.skip, found.rise, found.decoder)
    compare_usual(rest, words)
    for layer in normal:
        deviation = math.sqrt(2 / layer.weight[0].numel())
        apart = draws()["normal"](words, tuple(layer.weight.shape), deviation) - layer.weight.detach().numpy()
        assert np.abs(apart).max() < ROUNDING * deviation
    assert len(normal) + len(rest) == len(convolutions(found))


@pytest.mark.parametrize("warmup", [1, 2])
@pytest.mark.parametrize("x", [0.0, 0.25, 1.0, 7.3, 12.0, 20.0])
def test_scaffolds_rate(x, warmup):
    rate, end = 2.5e-3, 3e-4
    wanted = (end + (rate - end) * (1 + math.cos(math.pi * min(1, x / 12))) / 2) * min(1, x / warmup)
    found = task("smoke", f"warmup_epochs={warmup}").learning_rate(x)
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "step", "wanted"),
    [
        ([], 0, 0.0),
        ([], 8, 5e-3),
        ([], 16, 1e-2),
        ([], 256, 5e-3),
        (["schedule=multistep", "decay_epochs=[0.625]"], 36, 1e-2),  # 20 steps after 16 of warm-up, and one more
        (["schedule=multistep", "decay_epochs=[0.625]"], 37, 1e-3),
        (["schedule=multistep", "decay_epochs=[0.625]", "warmup_epochs=0"], 20, 1e-3),
        (["warmup_factor=2"], 8, 1.5e-2),
    ],
)
def test_deepcams_rate(settings, step, wanted):
    found = task("deepcam-mini", *settings)
    steps = math.ceil(found.problem.train_samples / found.config.batch_size)
    assert found.learning_rate(step / steps) == pytest.approx(wanted, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("settings", "logged"),
    [
        ([], {"warmup_steps": 16, "t_max": 480}),
        (["batch_size=16"], {"warmup_steps": 8, "t_max": 240}),
        (["batch_size=7", "warmup_epochs=0.1", "cosine_epochs=0.01"], {"warmup_steps": 4, "t_max": 1}),
        (["schedule=multistep", "decay_epochs=[0.5, 1.25]"], {"warmup_steps": 16, "milestones": [16, 40]}),
    ],
)
def test_deepcams_log_counts_in_steps(settings, logged):
    """An epoch has 32 steps at a batch of 8, 37 at 7."""
    events = task("deepcam-mini", *settings).events()
    names = {"warmup_steps": "scheduler_lr_warmup_steps"}
    assert {name: events.get(names.get(name, f"scheduler_{name}")) for name in logged} == logged
    assert ("scheduler_t_max" in events) == ("t_max" in logged)
