"""The model FLOPs of a step, counted without a trace in what is measured afterwards."""

from types import SimpleNamespace

import torch
from torch import nn

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
