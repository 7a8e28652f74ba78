"""Ranks as threads of one process: those calls of torch.distributed that layouts and halos make, over queues.

A test takes milliseconds and no launch. Ranks in real processes are in implementations/pytorch/test_ranks.py.
"""

import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from implementations.pytorch.parallel.layout import Layout

PATIENCE = 20.0  # seconds that a rank waits for another


class Ranks:
    """The ranks of a layout. A group is a tuple of ranks; a line along an axis, its axis' name."""

    def __init__(self, layout: Layout):
        self.layouts = [replace(layout, rank=rank) for rank in range(layout.ranks)]
        mesh = SimpleNamespace(get_group=lambda name: name, device_type="cpu")
        for i, one in enumerate(self.layouts):
            replica = tuple(o.rank for o in self.layouts if o.place[0] == one.place[0])
            self.layouts[i] = replace(one, mesh=mesh, replica_group=replica)
        self.me = threading.local()
        self.sent: dict[tuple, queue.SimpleQueue] = defaultdict(queue.SimpleQueue)
        everybody = tuple(range(layout.ranks))
        groups = {everybody, *(one.replica_group for one in self.layouts)}
        self.everybody, self.barriers = everybody, {g: threading.Barrier(len(g), timeout=PATIENCE) for g in groups}
        self.given: dict[tuple, Any] = {}

    def run(self, work: Callable[[Layout], Any]) -> list[Any]:
        """What `work` gives on every rank, in order of rank."""

        def on(layout: Layout) -> Any:
            self.me.rank = layout.rank
            return work(layout)

        with ThreadPoolExecutor(len(self.layouts)) as pool:
            return [done.result() for done in [pool.submit(on, layout) for layout in self.layouts]]

    def all_gather_object(self, values: list, value: Any, group: tuple | None = None) -> None:
        group = group or self.everybody
        self.given[group, self.me.rank] = value
        self.barriers[group].wait()
        values[:] = [self.given[group, rank] for rank in group]
        self.barriers[group].wait()

    def all_reduce(self, sums: Tensor, group: tuple | None = None) -> None:
        values: list[Tensor] = []
        self.all_gather_object(values, sums.clone(), group)
        sums.copy_(torch.stack(values).sum(0))

    def broadcast(self, tensor: Tensor, source: int) -> None:
        self.broadcast_object_list(values := [tensor.clone()], source)
        tensor.copy_(values[0])

    def broadcast_object_list(self, values: list, source: int) -> None:
        every: list[Any] = []
        self.all_gather_object(every, values[0] if self.me.rank == source else None)
        values[0] = every[source]

    def batch_isend_irecv(self, messages: Sequence[tuple]) -> list[SimpleNamespace]:
        me, started = self.me.rank, []
        for kind, tensor, peer, line in messages:
            if kind is dist.isend:
                self.sent[me, peer, line].put(tensor.clone())
                started.append(SimpleNamespace(wait=lambda: None))
            else:
                tensor.fill_(torch.nan)
                waiting = self.sent[peer, me, line]
                started.append(SimpleNamespace(wait=lambda t=tensor, q=waiting: t.copy_(q.get(timeout=PATIENCE))))
        return started


def in_threads(monkeypatch, layout: Layout, work: Callable[[Layout], Any]) -> list[Any]:
    """What `work` gives on every rank of a layout."""
    ranks = Ranks(layout)
    for name in ("all_gather_object", "all_reduce", "broadcast", "broadcast_object_list", "batch_isend_irecv"):
        monkeypatch.setattr(dist, name, getattr(ranks, name))
    monkeypatch.setattr(dist, "P2POp", lambda *message: message)
    return ranks.run(work)
