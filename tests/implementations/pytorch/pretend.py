"""A training step on a GPU that is not there: PyTorch's fake tensors have shapes and devices, and no data.

    python -m tests.implementations.pytorch.pretend smoke:1,2,1,1 cosmoflow-mini:1,1,1,1 smoke:1,1,1,1:batch

Prints how many weights, gradients and tensors of the optimizer there are after the step, and on which devices. A tensor
that was left on the CPU ends the step with the error that a GPU would give; a mistake ("batch", "constant") leaves one
there. Gradients are not averaged: DDP and FSDP need a real device. PyTorch's CPU build cannot pretend to have CUDA, so
the device has a name of its own; the code that is tried does not ask for names.
"""

import datetime
import math
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend as add_device

from benchmark.problem import load_problem
from implementations.pytorch.config import config_path, resolve
from implementations.pytorch.deepcam import task as deepcam
from implementations.pytorch.parallel import spatial
from implementations.pytorch.parallel.layout import Layout, with_mesh
from implementations.pytorch.task import build_task, config_class
from implementations.pytorch.training.average import average_of
from implementations.pytorch.training.step import blank_batch, train_step
from tests.support.settings import load_config

DEVICE = "pretended"
KEPT = []  # what ends with its last reference


class Backend:
    """What PyTorch asks of a device's module."""

    is_available = is_initialized = staticmethod(lambda: True)
    _is_in_bad_fork = staticmethod(lambda: False)
    device_count = staticmethod(lambda: 1)
    current_device = staticmethod(lambda: 0)
    manual_seed_all = staticmethod(lambda seed: None)
    get_amp_supported_dtype = staticmethod(lambda: [torch.bfloat16])


def pretend() -> None:
    """Add the device. Automatic casts leave it alone, constants reach it by way of the CPU, and each rank keeps its own
    gradients."""
    add_device(DEVICE, Backend())
    KEPT.append(torch.library.Library("_", "IMPL", "AutocastPrivateUse1"))
    KEPT[0].fallback(torch.library.fallthrough_kernel)
    spatial.average_gradients = deepcam.average_gradients = lambda model, *args, **options: model
    make = torch.tensor
    torch.tensor = lambda data, device=None, **options: make(data, **options).to(device or "cpu")


def moved(model: nn.Module, mode: FakeTensorMode) -> nn.Module:
    """What `model.to` does: parameters and buffers go to the device, and nothing else; fake ones."""
    for module in model.modules():
        for name, value in module._parameters.items():
            if value is not None:
                module._parameters[name] = nn.Parameter(mode.from_tensor(value).detach().to(DEVICE))
        for name, value in module._buffers.items():
            if value is not None:
                module._buffers[name] = mode.from_tensor(value).to(DEVICE)
    return model


def connected(layout: Layout) -> Layout:
    """The layout with groups of ranks that answer at once."""
    if layout.ranks == 1:
        return layout
    dist.init_process_group(f"cpu:fake,{DEVICE}:fake", store=FakeStore(), rank=layout.rank, world_size=layout.ranks)
    return with_mesh(layout, DEVICE, datetime.timedelta(seconds=9))


def step(name: str, extents: str, mistake: str) -> str:
    """One step of a problem in a layout, as its last rank sees it: how many tensors there are after it, and where."""
    problem = load_problem(name)
    config = load_config(config_class(problem.workload), config_path(name), "device=cpu", "compile=false")
    config = resolve(config, 1)
    object.__setattr__(config, "device", DEVICE)  # which no config could say
    shape = tuple(map(int, extents.split(",")))
    ranks = math.prod(shape)
    layout = connected(Layout.of(shape, rank=ranks - 1))
    task = build_task(problem, config)
    model = task.build_model()
    with FakeTensorMode(allow_fallback_kernels=False) as mode:
        model = task.parallelize(moved(model, mode), layout)
        average = average_of(model, config, problem.train_samples)
        optimizer = task.build_optimizer(model)
        for group in optimizer.param_groups:
            group["fused"] = False  # of which PyTorch has no fake version for every optimizer
        batch = blank_batch(task, layout, len(layout.share(range(config.batch_size))))
        if mistake == "batch":
            batch = (batch[0].cpu(), *batch[1:])
        if mistake == "constant":
            type(task).weight.func = lambda task: torch.ones(problem.classes)
        train_step(task, model.train(), optimizer, [(1.0, batch)], layout)
        if average:
            average.update(model)
        held = [*model.parameters(), *(p.grad for p in model.parameters())]
        held += [t for state in optimizer.state.values() for t in state.values() if torch.is_tensor(t) and t.dim()]
    return f"{len(held)} {' '.join(sorted({t.device.type for t in held}))}"


def main(*wanted: str) -> None:
    """A line for each step."""
    pretend()
    for one in wanted:
        try:
            said = step(*f"{one}::".split(":")[:3])
        except RuntimeError as error:
            said = f"{type(error).__name__}: {error}".partition("\n")[0]
        print(one, said, flush=True)
        if dist.is_initialized():
            dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
