"""The state of a run as tensors, and a run that goes on from them."""

import copy

import pytest
import torch
from torch import nn

from implementations.pytorch.deepcam.lamb import LAMB
from implementations.pytorch.training.average import Average
from implementations.pytorch.training.state import TrainingState, flat, tensors_of

OPTIMIZERS = {
    "adam": lambda weights: torch.optim.Adam(weights, lr=0.1),
    "momentum": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9),
    "plain": lambda weights: torch.optim.SGD(weights, lr=0.1),
    "lamb": lambda weights: LAMB(weights, lr=0.1),
}


def fresh(name: str, seed: int) -> TrainingState:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    return TrainingState(model, OPTIMIZERS[name](model.parameters()), Average(model, 10))


def step(state: TrainingState, batch: torch.Tensor) -> None:
    state.optimizer.zero_grad()
    state.model(batch).square().mean().backward()
    state.optimizer.step()
    state.average.update(state.model)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_run_goes_on_as_if_nothing_had_been(name):
    """Weights, statistics of batch norm, moments, the average, and what is counted in plain numbers."""
    batches = torch.randn(6, 8, 4, generator=torch.Generator().manual_seed(3))
    first, second = fresh(name, 1), fresh(name, 2)
    for batch in batches[:3]:
        step(first, batch)
    kept = copy.deepcopy(first.tensors())

    def read(tensors: dict[str, torch.Tensor]) -> None:
        assert {n: (x.shape, x.dtype) for n, x in tensors.items()} == {n: (x.shape, x.dtype) for n, x in kept.items()}
        for key, tensor in tensors.items():
            tensor.copy_(kept[key])

    with torch.no_grad():
        second.restore(read)
    for batch in batches[3:]:
        step(first, batch)
        step(second, batch)
    ours, theirs = first.tensors(), second.tensors()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[key], theirs[key]) for key in ours)
    assert second.average.steps == 6


def test_numbers_are_kept_to_the_last_bit():
    """Flags, names, tuples and None follow from the settings and are not kept."""
    kept = {"a": [1, 0.1, True, None, "x", (1, 2)], "b": {"c": 2**53 + 1, "d": torch.ones(2)}}
    found = flat(kept)
    assert list(found) == ["a/0", "a/1", "b/c", "b/d"] and found["b/d"] is kept["b"]["d"]
    assert (found["a/0"].item(), found["a/1"].item(), found["b/c"].item()) == (1, 0.1, 2**53 + 1)
    assert set(tensors_of(nn.BatchNorm2d(2))) == {"weight", "bias", "running_mean", "running_var"}  # no whole numbers
