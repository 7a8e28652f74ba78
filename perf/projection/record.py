"""Recording what a rank does: the costs of its operations, and its collectives in their order."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unittest import mock

import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import new_group

from benchmark.run.log import AXES
from perf.projection.op_costs import OpCosts

BUCKETS = (1 << 20, 25 << 20)  # bytes of the gradients that DDP sums at once: of the first time, and of all others


class Event(NamedTuple):
    """A call that ranks make together. `group` is which of a rank's communicators: "world", "replica", or a line of
    ranks along an axis of the layout. An exchange with neighbours is one event, and `bytes` are those to one of them.
    `sent` are all that the rank sends."""

    stage: str
    group: str
    what: str
    bytes: int
    sent: int = 0

    @property
    def alike(self) -> tuple[str, str, str, int]:
        """What is equal on all ranks."""
        return self[:4]


@dataclass
class Record(OpCosts):
    """The costs of a rank's operations, and the calls that it makes together with others, in order."""

    events: list[Event] = field(default_factory=list)
    names: dict[Any, str] = field(default_factory=dict)  # of groups

    @contextmanager
    def calls(self) -> Iterator[None]:
        """Record the collectives that are called within this context. Nothing is sent, and each gives this rank's own
        value."""
        stand_ins = {
            "all_reduce": self.all_reduce,
            "broadcast": lambda tensor, source: self.note("broadcast", tensor.nbytes),
            "all_gather_object": self.all_gather_object,
            "broadcast_object_list": lambda values, source: self.note("broadcast of objects", 0),
            "batch_isend_irecv": self.exchange,
            "new_group": self.new_group,
        }
        with mock.patch.multiple(dist, **stand_ins):
            yield

    def note(self, what: str, size: int, group: Any = None, sent: int = 0) -> None:
        """Add an event."""
        self.events.append(Event(self.phase, self.names.get(group, "world"), what, size, sent))

    def all_reduce(self, tensor: Tensor, group: Any = None) -> None:
        self.note("sum", tensor.nbytes, group)

    def all_gather_object(self, values: list, value: Any) -> None:
        """The sizes of objects differ between ranks; NCCL and gloo send as much as the largest."""
        values[:] = [value] * len(values)
        self.note("gathered objects", 0, sent=len(pickle.dumps(value)))

    def exchange(self, messages: Sequence[Any]) -> list:
        sends = [message.tensor.nbytes for message in messages if message.op is dist.isend]
        self.note("exchange", max(sends), messages[0].group, sum(sends))
        return []

    def new_group(self, ranks: Sequence[int], **how: Any) -> Any:
        """`dist.new_group`, which `with_mesh` calls for the lines along each axis and then for the replica."""
        group, known = new_group(ranks, **how), len(self.names)
        self.names[group] = (*AXES, "replica")[known] if known <= len(AXES) else f"group {known}"
        self.note("new group", 0, group)
        return group


def sum_gradients(model: nn.Module, record: Record) -> Callable[[], None]:
    """Sum gradients over all ranks as DDP does from its second step on: in buckets, in the order in which they are
    there. Return what sums the last bucket."""
    waiting, sent = [0], [0]

    def flush() -> None:
        if waiting[0]:
            record.note("sum of gradients", waiting[0])
            waiting[0], sent[0] = 0, sent[0] + 1

    def add(weight: Tensor) -> None:
        waiting[0] += weight.nbytes
        if waiting[0] >= BUCKETS[min(sent[0], 1)]:
            flush()

    for weight in model.parameters():
        weight.register_post_accumulate_grad_hook(add)
    return flush
