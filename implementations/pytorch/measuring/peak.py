"""Count the model FLOPs of a step, and find the peak rate of the device: by default that of a plain matrix product."""

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from ..config import RunConfig
from ..parallel.layout import Layout
from ..task import Task
from ..training.step import blank_batch, part_sizes

SIDES = {"cpu": 1024, "cuda": 8192}  # of the matrices
TIMES = 20  # that the product is timed


class Flops(TorchDispatchMode):
    """Counts multiplications and additions of matrix products and convolutions, but not while it is `paused`."""

    def __init__(self):
        super().__init__()
        self.total = self.paused = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = function(*args, **(kwargs or {}))
        packet = function._overloadpacket
        if packet in flop_registry and not self.paused:
            self.total += flop_registry[packet](*args, **(kwargs or {}), out_val=result)
        return result

    @contextlib.contextmanager
    def without_modules(self) -> Iterator[None]:
        """Do not count the forward passes of modules within this context. In a backward pass they are recomputation."""

        def enter(*_: Any) -> None:
            self.paused += 1

        def leave(*_: Any) -> None:
            self.paused -= 1

        hooks = register_module_forward_pre_hook(enter), register_module_forward_hook(leave, always_call=True)
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


def model_flops(task: Task, model: torch.nn.Module, layout: Layout) -> int:
    """Return the FLOPs of training on one sample, forward and backward, over all ranks that share it. They are counted
    on blank samples, and gradients are cleared afterwards. Nothing is compiled meanwhile: what is compiled while
    operations are intercepted is slow, and later steps would use it."""
    config = task.config
    size = part_sizes(task.problem.train_samples, config)[0]
    mine = len(layout.share(range(size)))
    with torch.compiler.set_stance("force_eager"), Flops() as flops:
        loss = task.loss(model, blank_batch(task, layout, mine), layout)
        with flops.without_modules():
            loss.backward()
    model.zero_grad(set_to_none=True)
    return sum(layout.gather(flops.total if mine else 0)) // size


def peak_rate(config: RunConfig, layout: Layout) -> tuple[float, str]:
    """Return the peak of a rank in 10^12 FLOP/s, on average over ranks, and its source: the config, or a matrix product
    that is timed on all ranks at once."""
    if config.peak_tflops:
        return config.peak_tflops, "config"
    side, precision = SIDES[config.device], getattr(torch, config.precision)
    a, b = torch.randn(2, side, side, device=config.device).to(precision)
    layout.barrier()
    seconds = [product_seconds(a, b) for _ in range(TIMES + 2)][2:]
    rates = layout.gather(2 * side**3 / min(seconds) / 1e12)
    return sum(rates) / len(rates), f"measured: matmul {side} x {side} in {config.precision}, best of {TIMES}"


def product_seconds(a: torch.Tensor, b: torch.Tensor) -> float:
    """Return the seconds of a matrix product."""
    on_gpu = a.device.type == "cuda"
    if on_gpu:
        torch.cuda.synchronize()
    start = time.perf_counter()
    a @ b
    if on_gpu:
        torch.cuda.synchronize()
    return time.perf_counter() - start
