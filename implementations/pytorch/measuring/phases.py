"""Measure the seconds of a step by phase, from outside: the training code has no timers.

`timed` wraps the functions in which the phases happen. Phases do not overlap, and one is always running, so they add up
to the whole step. On a GPU a time stamp is an event in the computing stream. Nobody waits for it, and it has the time
at which the device reached it. Communication is the time that this stream had to wait.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.distributed.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import record_function

REST = "rest"
PHASES = ("wait", "forward", "backward", "halo", "norm", "reduction", "optimizer", REST)


class PhaseClock:
    """Records which phase runs since when. Autograd's threads may call `phase` and `switch`, one at a time."""

    def __init__(self, device: torch.device):
        self.named = False  # whether phases are named in a profiler's trace
        self.stream = torch.cuda.current_stream(device) if device.type == "cuda" else None
        self.running = [REST]
        self.stamps: list[tuple[str, Any]] = []

    def stamp(self) -> None:
        """Record that the innermost phase runs from now on."""
        if self.stream is None:
            now = time.perf_counter()
        else:
            now = torch.cuda.Event(enable_timing=True)
            now.record(self.stream)
        self.stamps.append((self.running[-1], now))

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Record the phase `name` within this context, in place of the phase around it."""
        self.running.append(name)
        self.stamp()
        try:
            with record_function(name) if self.named else contextlib.nullcontext():
                yield
        finally:
            self.running.pop()
            self.stamp()

    def switch(self, name: str) -> None:
        """Rename the present phase to `name` from now on."""
        self.running[-1] = name
        self.stamp()

    def start(self) -> None:
        """Discard all records and start again."""
        self.stamps = []
        self.stamp()

    def seconds(self) -> dict[str, float]:
        """Return the seconds by phase since `start`, in the order of PHASES, then others. It waits for the device."""
        self.stamp()
        if self.stream is not None:
            self.stream.synchronize()
        total = dict.fromkeys(PHASES, 0.0)
        for (name, start), (_, end) in zip(self.stamps, self.stamps[1:], strict=False):
            took = end - start if self.stream is None else start.elapsed_time(end) / 1000
            total[name] = total.get(name, 0.0) + took
        return total


class Pending:
    """A pending communication. Waiting for it counts in a phase."""

    def __init__(self, work: Any, clock: PhaseClock, name: str):
        self.work, self.clock, self.name = work, clock, name

    def wait(self, *args: Any) -> Any:
        with self.clock.phase(self.name):
            return self.work.wait(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.work, name)


@contextlib.contextmanager
def timed(clock: PhaseClock, task: Any, model: nn.Module, *updates: tuple[Any, str]) -> Iterator[None]:
    """Time the phases of a task's steps within this context: its loss, the backward pass, the methods (object, name)
    that update weights, and all communication."""

    def plain(name: str) -> Callable:
        return lambda function, args, kwargs: timed_call(clock, name, function, args, kwargs)

    places = [
        (type(task), "loss", plain("forward")),
        (torch.Tensor, "backward", plain("backward")),
        (nn.utils, "clip_grad_norm_", plain("optimizer")),
        *((owner, method, plain("optimizer")) for owner, method in updates),
        (dist, "batch_isend_irecv", plain("halo")),
        (dist, "all_reduce", lambda *call: timed_call(clock, kind_of_sum(call[2]), *call)),
        *((owner, method, plain("reduction")) for owner, method in sharding(model)),
    ]
    if isinstance(model, DistributedDataParallel):
        model.register_comm_hook(None, lambda _, bucket: reduce_bucket(clock, bucket))
    with contextlib.ExitStack() as stack:
        for owner, name, around in places:
            stack.enter_context(replaced(owner, name, around))
        yield


def sharding(model: nn.Module) -> list[tuple[type, str]]:
    """Return the methods in which FSDP2, if the model uses it, gathers a block's weights and reduces their gradients.

    On a GPU the computing stream waits in the last three, and not where a collective is started.
    """
    if not isinstance(model, FSDPModule):
        return []
    from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup  # not public, and used only here

    return [(FSDPParamGroup, m) for m in ("unshard", "wait_for_unshard", "post_backward", "finalize_backward")]


@contextlib.contextmanager
def replaced(owner: Any, name: str, around: Callable) -> Iterator[None]:
    """Have calls of `owner.name` go through `around(function, args, kwargs)` within this context."""
    own, function = name in vars(owner), getattr(owner, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        return around(function, args, kwargs)

    setattr(owner, name, called)
    try:
        yield
    finally:
        setattr(owner, name, function) if own else delattr(owner, name)


def timed_call(clock: PhaseClock, name: str, function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function in a phase. Waiting for communication that it leaves pending counts in the same phase."""
    with clock.phase(name):
        result = function(*args, **kwargs)
    if isinstance(result, dist.Work):
        return Pending(result, clock, name)
    if isinstance(result, list) and result and isinstance(result[0], dist.Work):
        return [Pending(work, clock, name) for work in result]
    return result


def kind_of_sum(kwargs: dict) -> str:
    """Return the phase of a sum: over a sample's ranks the statistics of a norm, over all ranks loss or gradients."""
    return "reduction" if kwargs.get("group") in (None, dist.group.WORLD) else "norm"


def reduce_bucket(clock: PhaseClock, bucket: dist.GradBucket) -> Any:
    """Start DDP's own all-reduce. When the last bucket comes, all gradients are computed, and the rest of the backward
    pass is waiting for their sums."""
    reduced = allreduce_hook(None, bucket)
    if bucket.is_last():
        clock.switch("reduction")
    return reduced
