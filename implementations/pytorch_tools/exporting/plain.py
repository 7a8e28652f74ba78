"""Convert a network to PyTorch's own layers, for tools that know no others, and make an example of its input."""

import copy

import numpy as np
import torch
from torch import Tensor, nn

from benchmark.workload import module_of, whole_box
from implementations.pytorch.layers.blocks import join_parts
from implementations.pytorch.layers.norm import NormReLU
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import Task

SAMPLES = 2  # of the example: 1 is a size of its own to compilers


class Seen(Exception):
    """The network was called with these inputs."""


def plain(model: nn.Module) -> nn.Module:
    """Return a copy of a model on one device, with the same weights, whose norms are nn.GroupNorm and nn.ReLU. The two
    compute the same function in different ways, so comparing them checks both."""
    found = copy.deepcopy(model)
    join_parts(found, "concat")  # for every N, which is open
    for module in found.modules():
        for name, child in module.named_children():
            if isinstance(child, NormReLU):
                norm = nn.GroupNorm(child.num_groups, child.num_channels, child.eps)
                norm.weight, norm.bias = child.weight, child.bias
                setattr(module, name, nn.Sequential(norm, nn.ReLU()))
    return found.to(memory_format=torch.contiguous_format).eval()


def input_of(task: Task, model: nn.Module) -> Tensor:
    """Return standard normal numbers with the shape and type of the network's input, (2, ...), always the same."""
    problem = task.problem
    arrays = module_of(problem).blank(problem, whole_box(problem))
    batch = tuple(torch.from_numpy(np.stack([array] * SAMPLES)) for array in arrays)

    def look(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        raise Seen(*inputs)

    hook = model.register_forward_pre_hook(look)
    try:
        task.evaluate(model, [batch], Layout(1))
    except Seen as seen:
        (x,) = seen.args
    finally:
        hook.remove()
    return torch.randn(x.shape, generator=torch.Generator().manual_seed(0), dtype=x.dtype)
