"""CosmoFlow's network, loss, schedule and metric on one device."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from benchmark.problem import load_problem
from benchmark.run.errors import Aborted
from implementations.pytorch.cosmoflow.model import CosmoFlow, SameConv3d, build_model, to_input
from implementations.pytorch.cosmoflow.task import Config, Task
from implementations.pytorch.parallel.layout import Layout


@pytest.fixture
def task():
    """The small problem with the published hyperparameters, in float32."""
    return Task(load_problem("cosmoflow-mini"), Config(device="cpu", precision="float32", dropout=0.0))


def batch(samples: int, side: int = 16, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    counts = torch.randint(0, 9, (samples, side, side, side, 4), dtype=torch.int16, generator=generator)
    return counts, torch.rand(samples, 4, generator=generator) * 2 - 1


@pytest.mark.parametrize("kernel", [2, 3])
def test_convolutions_keep_the_extent_as_tensorflow_does(kernel):
    """Voxel by voxel: output i sees inputs i to i + 1 for a kernel of 2, i - 1 to i + 1 for 3."""
    conv = SameConv3d(1, 1, kernel).double()
    x = torch.randn(1, 1, 5, 5, 5, dtype=torch.float64)
    y = conv(x)
    assert y.shape == x.shape
    before = (kernel - 1) // 2
    for place in [(0, 0, 0), (4, 4, 4), (2, 0, 4), (2, 2, 2)]:
        total = conv.bias.item()
        for offset in torch.cartesian_prod(*[torch.arange(kernel)] * 3).tolist():
            at = [p + o - before for p, o in zip(place, offset, strict=True)]
            if all(0 <= a < 5 for a in at):
                total += (conv.weight[0, 0][tuple(offset)] * x[0, 0][tuple(at)]).item()
        assert y[0, 0][place].item() == pytest.approx(total, abs=1e-12)


def test_network_is_the_published_sequence():
    """The same numbers as layers written in the published order, LeakyReLU before pooling, with the same weights."""
    torch.manual_seed(0)
    model = CosmoFlow(8, 4, 4, 2, 3, 0.0).double()
    x = torch.randn(3, 4, 8, 8, 8, dtype=torch.float64)
    y = x
    for block in model.blocks:
        y = F.max_pool3d(F.leaky_relu(F.conv3d(y, block[0].weight, block[0].bias, padding=1), 0.3), 2)
    y = y.permute(0, 2, 3, 4, 1).reshape(3, -1)
    for dense in model.hidden:
        y = F.leaky_relu(y @ dense.weight.T + dense.bias, 0.3)
    y = 1.2 * torch.tanh(y @ model.head.weight.T + model.head.bias)
    assert torch.allclose(model(x), y, atol=1e-12)


def test_input_is_the_logarithm_with_channels_in_front():
    counts = batch(2)[0]
    x = to_input(counts)
    assert x.shape == (2, 4, 16, 16, 16) and x.is_contiguous(memory_format=torch.channels_last_3d)
    assert torch.equal(x[1, 3], torch.log(counts[1, ..., 3].double() + 1).float())


def test_loss_is_the_mean_squared_error_and_the_penalty(task):
    torch.manual_seed(0)
    model, (counts, true) = task.build_model().eval(), batch(3)
    plain = F.mse_loss(model(to_input(counts)).double(), true.double())
    assert task.loss(model, (counts, true), Layout(1)).item() == pytest.approx(plain.item(), rel=1e-12)
    decayed = Task(task.problem, replace(task.config, weight_decay=0.01))
    squares = sum(dense.weight.double().square().sum() for dense in model.hidden)
    found = decayed.loss(model, (counts, true), Layout(1)).item()
    assert found == pytest.approx((plain + 0.01 * squares).item(), rel=1e-6)


def test_score_is_the_mean_absolute_error_whatever_the_batches(task):
    torch.manual_seed(0)
    model, (counts, true) = task.build_model().eval(), batch(7)
    whole = task.evaluate(model, [(counts, true)], Layout(1))
    errors = (model(to_input(counts)) - true).abs().double()
    assert whole.value == pytest.approx(errors.mean().item(), rel=1e-6)
    assert whole.facts["sums"] == pytest.approx(errors.sum(0).tolist(), rel=1e-6)
    assert whole.value == math.fsum(whole.facts["sums"]) / 28
    parts = task.evaluate(model, [(counts[:5], true[:5]), (counts[5:], true[5:])], Layout(1))
    assert parts.value == pytest.approx(whole.value, rel=1e-6)


def test_a_score_that_is_no_number_ends_the_run(task):
    model = task.build_model().eval()
    with torch.no_grad():
        model.head.bias.fill_(math.nan)
    with pytest.raises(Aborted, match="mean absolute error is nan"):
        task.evaluate(model, [batch(2)], Layout(1))


def test_predictions_have_all_digits_whatever_the_precision(task):
    torch.manual_seed(0)
    model, x = task.build_model().eval(), to_input(batch(4)[0])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(x)
    assert rough.dtype == torch.float32 and not torch.equal(rough, rough.bfloat16().float())
    assert torch.allclose(rough, model(x), atol=0.05)


def test_dropout_is_for_training_alone():
    torch.manual_seed(0)
    model, x = build_model(load_problem("cosmoflow-mini"), 0.5), to_input(batch(2)[0])
    assert not torch.equal(model.train()(x), model(x))
    assert torch.equal(model.eval()(x), model(x))


def test_optimizer_is_sgd_with_momentum(task):
    """Two steps by hand."""
    model = nn.Linear(1, 1, bias=False)
    optimizer = task.build_optimizer(model)
    weight, velocity = model.weight.item(), 0.0
    for gradient in (1.0, 2.0):
        model.weight.grad = torch.full((1, 1), gradient)
        optimizer.step()
        velocity = 0.9 * velocity + gradient
        weight -= task.full_rate * velocity
    assert model.weight.item() == pytest.approx(weight, rel=1e-6)


def test_learning_rate_is_scaled_warmed_up_and_decayed(task):
    """The published schedule at a batch of 512: from 0.001 to 0.008 in four epochs, then a quarter, then an eighth."""
    big = Task(task.problem, replace(task.config, batch_size=512))
    rates = {0: 0.001, 2: 0.0045, 4: 0.008, 31.99: 0.008, 32: 0.002, 63.99: 0.002, 64: 0.001, 127: 0.001}
    for epoch, rate in rates.items():
        assert big.learning_rate(epoch) == pytest.approx(rate)
    events = big.events()
    assert (events["opt_base_learning_rate"], events["opt_learning_rate_warmup_factor"]) == (0.008, 8.0)
    other = Task(task.problem, replace(task.config, warmup_factor=10.0))
    assert other.learning_rate(0) == pytest.approx(1e-4) and other.learning_rate(4) == pytest.approx(1e-3)
