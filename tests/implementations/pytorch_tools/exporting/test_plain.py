import dataclasses

import pytest
import torch
from torch import nn

from benchmark.problem import load_problem
from implementations.pytorch.layers.norm import NormReLU
from implementations.pytorch.task import build_task, config_class
from implementations.pytorch_tools.exporting.plain import input_of, plain


@pytest.fixture(scope="module", params=["smoke", "cosmoflow-mini", "deepcam-mini"])
def network(request):
    """A problem's task and its network; of DeepCAM with few pixels."""
    torch.manual_seed(1)
    problem = load_problem(request.param)
    changes = {"height": 32, "width": 48, "twin": None} if request.param == "deepcam-mini" else {}
    config = config_class(problem.workload)(precision="float32", device="cpu")
    task = build_task(dataclasses.replace(problem, **changes), config)
    model = task.build_model()
    for parameter in model.parameters():  # fresh norms have weight 1 and bias 0
        parameter.data += 0.05 * torch.randn_like(parameter)
    return task, model.eval()


def test_the_input_is_what_the_network_gets(network):
    task, model = network
    x = input_of(task, model)
    shapes = {"scaffold": (2, 1, 32, 32, 32), "cosmoflow": (2, 4, 16, 16, 16), "deepcam": (2, 16, 32, 48)}
    assert x.shape == shapes[task.problem.workload] and x.dtype == torch.float32
    assert torch.equal(x, input_of(task, model)) and not model._forward_pre_hooks


def test_the_same_function_in_other_layers(network):
    task, model = network
    norms = [module for module in model.modules() if isinstance(module, NormReLU)]
    copy, x = plain(model), input_of(task, model)
    assert norms == [module for module in model.modules() if isinstance(module, NormReLU)]
    assert not any(isinstance(module, NormReLU) for module in copy.modules())
    with torch.no_grad():
        wanted, found = model(x), copy(x)
    assert (found - wanted).abs().max() <= 1e-5 * wanted.abs().max()


def test_weights_and_epsilon_are_kept():
    norm = NormReLU(2, 4, eps=0.5)
    nn.init.normal_(norm.weight)
    copy = plain(nn.Sequential(norm))[0][0]
    assert torch.equal(copy.weight, norm.weight) and (copy.eps, copy.num_groups) == (0.5, 2)
