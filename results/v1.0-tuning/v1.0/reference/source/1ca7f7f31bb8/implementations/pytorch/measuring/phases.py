"""Seconds of a step by phase, measured from outside: the training code has no timers.

`timed` puts a clock around the functions in which the phases happen, for as long as it lasts. Phases are exclusive
and one always runs, so that they add up to the whole. On a GPU a stamp is an event in the stream that computes: no
one waits for it, and what it says is when the device came there. Communication is what that stream had to wait for.
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
    """Which phase runs since when. `phase` and `switch` may be called from autograd's threads: one runs at a time."""

    def __init__(self, device: torch.device):
        self.named = False  # whether a profiler is told the phases
        self.stream = torch.cuda.current_stream(device) if device.type == "cuda" else None
        self.running = [REST]
        self.stamps: list[tuple[str, Any]] = []

    def stamp(self) -> None:
        """From now on, it is the phase on top."""
        if self.stream is None:
            now = time.perf_counter()
        else:
            now = torch.cuda.Event(enable_timing=True)
            now.record(self.stream)
        self.stamps.append((self.running[-1], now))

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Until the end of this, it is `name`, and not what surrounds it."""
        self.running.append(name)
        self.stamp()
        try:
            with record_function(name) if self.named else contextlib.nullcontext():
                yield
        finally:
            self.running.pop()
            self.stamp()

    def switch(self, name: str) -> None:
        """From now on the present phase is `name`."""
        self.running[-1] = name
        self.stamp()

    def start(self) -> None:
        """Forget what was; time runs from here."""
        self.stamps = []
        self.stamp()

    def seconds(self) -> dict[str, float]:
        """Seconds by phase since `start`, in the order of their names here, others behind. Waits for the device."""
        self.stamp()
        if self.stream is not None:
            self.stream.synchronize()
        total = dict.fromkeys(PHASES, 0.0)
        for (name, start), (_, end) in zip(self.stamps, self.stamps[1:], strict=False):
            took = end - start if self.stream is None else start.elapsed_time(end) / 1000
            total[name] = total.get(name, 0.0) + took
        return total


class Pending:
    """A communication that was begun: waiting for it is part of a phase."""

    def __init__(self, work: Any, clock: PhaseClock, name: str):
        self.work, self.clock, self.name = work, clock, name

    def wait(self, *args: Any) -> Any:
        with self.clock.phase(self.name):
            return self.work.wait(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.work, name)


@contextlib.contextmanager
def timed(clock: PhaseClock, task: Any, model: nn.Module, *updates: tuple[Any, str]) -> Iterator[None]:
    """Put the clock around the phases of the steps of a task: its loss, the backward pass, the methods (object, name)
    that update weights, and whatever communicates."""

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
    """The methods in which FSDP2 gathers a block's weights and reduces their gradients, if it is around the model.

    On a GPU the stream that computes waits in the later three, not where a collective is begun.
    """
    if not isinstance(model, FSDPModule):
        return []
    from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup  # not public: here alone

    return [(FSDPParamGroup, m) for m in ("unshard", "wait_for_unshard", "post_backward", "finalize_backward")]


@contextlib.contextmanager
def replaced(owner: Any, name: str, around: Callable) -> Iterator[None]:
    """`owner.name` is called through `around(function, args, kwargs)` until the end of this."""
    own, function = name in vars(owner), getattr(owner, name)

    def called(*args: Any, **kwargs: Any) -> Any:
        return around(function, args, kwargs)

    setattr(owner, name, called)
    try:
        yield
    finally:
        setattr(owner, name, function) if own else delattr(owner, name)


def timed_call(clock: PhaseClock, name: str, function: Callable, args: tuple, kwargs: dict) -> Any:
    """A call in a phase; communication that it leaves pending is waited for in the same phase."""
    with clock.phase(name):
        result = function(*args, **kwargs)
    if isinstance(result, dist.Work):
        return Pending(result, clock, name)
    if isinstance(result, list) and result and isinstance(result[0], dist.Work):
        return [Pending(work, clock, name) for work in result]
    return result


def kind_of_sum(kwargs: dict) -> str:
    """What a sum is for: over a sample's ranks, it is the statistics of a norm; over all, the loss or gradients."""
    return "reduction" if kwargs.get("group") in (None, dist.group.WORLD) else "norm"


def reduce_bucket(clock: PhaseClock, bucket: dist.GradBucket) -> Any:
    """DDP's own all-reduce. When the last bucket comes, all gradients are there: what is left of the backward pass is
    waiting for their sums."""
    reduced = allreduce_hook(None, bucket)
    if bucket.is_last():
        clock.switch("reduction")
    return reduced
