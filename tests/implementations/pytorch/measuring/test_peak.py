"""The model FLOPs of a step, counted without a trace in what is measured afterwards."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from implementations.pytorch.measuring import peak
from implementations.pytorch.parallel.layout import Layout


def task_of(batch_size, accumulate, loss):
    config = SimpleNamespace(batch_size=batch_size, accumulate=accumulate)
    return SimpleNamespace(config=config, problem=SimpleNamespace(train_samples=7), loss=loss)


def test_nothing_is_compiled_while_flops_are_counted(monkeypatch):
    """What was compiled then would be slow, and steps would use it."""
    compiled = []

    def backend(module, inputs):
        compiled.append(module)
        return module.forward

    double = torch.compile(lambda x: 2 * x, backend=backend)
    model = nn.Linear(3, 5, bias=False)
    monkeypatch.setattr(peak, "blank_batch", lambda task, layout, mine: torch.ones(mine, 3))
    task = task_of(4, 1, lambda model, batch, layout: double(model(batch)).sum())
    assert peak.model_flops(task, model, Layout(1)) == 2 * 2 * 3 * 5  # forward, and the weights' gradient
    assert not compiled and model.weight.grad is None
    double(torch.ones(2))
    assert compiled


def test_flops_are_counted_on_a_batch_that_a_run_has(monkeypatch):
    """A batch larger than the split would take memory that no step takes."""
    sizes, model = [], nn.Linear(3, 5, bias=False)
    monkeypatch.setattr(peak, "blank_batch", lambda task, layout, mine: (sizes.append(mine), torch.ones(mine, 3))[1])
    for batch_size, accumulate in ((4, 1), (4, 3), (7, 1), (1000, 1), (1000, 2)):
        task = task_of(batch_size, accumulate, lambda model, batch, layout: model(batch).sum())
        assert peak.model_flops(task, model, Layout(1)) == 2 * 2 * 3 * 5
    assert sizes == [4, 2, 7, 7, 4]


def test_what_is_recomputed_is_not_counted(monkeypatch):
    model = nn.Sequential(nn.Sequential(nn.Linear(3, 5, bias=False)), nn.Linear(5, 2, bias=False))
    monkeypatch.setattr(peak, "blank_batch", lambda task, layout, mine: torch.ones(mine, 3))
    for run in (lambda model, x: model(x), lambda model, x: checkpoint(model, x, use_reentrant=False)):
        task = task_of(4, 1, lambda model, batch, layout, run=run: run(model, batch).sum())
        assert peak.model_flops(task, model, Layout(1)) == 2 * (2 * 3 * 5 + 3 * 5 * 2)  # no gradient of the input


def test_flops_are_of_all_ranks_that_share_a_sample(monkeypatch):
    monkeypatch.setattr(peak, "blank_batch", lambda task, layout, mine: torch.ones(mine, 3))
    task, model = task_of(2, 1, lambda model, batch, layout: model(batch).sum()), nn.Linear(3, 5, bias=False)
    for share, total in (([0], 60 + 139), ([], 139)):  # a rank without a sample has no FLOPs
        layout = SimpleNamespace(share=lambda samples, share=share: share, gather=lambda mine: [mine, 139])
        assert peak.model_flops(task, model, layout) == total // 2


def test_the_peak_is_the_best_product_on_average_over_ranks(monkeypatch):
    seconds = iter([0.1, 0.1, 0.25, *[0.5] * 19])  # the first two warm up
    shapes = []
    monkeypatch.setattr(peak, "SIDES", {"cpu": 4})
    monkeypatch.setattr(peak, "product_seconds", lambda a, b: (shapes.append((a.shape, b.dtype)), next(seconds))[1])
    layout = SimpleNamespace(barrier=lambda: None, gather=lambda rate: [rate, 3 * rate])
    config = SimpleNamespace(device="cpu", precision="bfloat16", peak_tflops=None)
    rate, source = peak.peak_rate(config, layout)
    assert rate == pytest.approx(2 * (2 * 4**3 / 0.25 / 1e12), rel=1e-13, abs=0) and next(seconds, None) is None
    assert source == "measured: matmul 4 x 4 in bfloat16, best of 20"
    assert set(shapes) == {((4, 4), torch.bfloat16)}
    assert peak.peak_rate(SimpleNamespace(peak_tflops=7.0), layout) == (7.0, "config")


def test_a_product_takes_time():
    assert peak.product_seconds(torch.ones(9, 9), torch.ones(9, 9)) > 0
