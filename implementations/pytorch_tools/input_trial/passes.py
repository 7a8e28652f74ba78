"""Make passes over the training split: the loop of training, with emulated computation."""

import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.distributed as dist

from benchmark.run.reader import published_fingerprints
from benchmark.workload import module_of
from implementations.pytorch.input.order import train_batches
from implementations.pytorch.input.prefetch import Batch, device_batches, stack
from implementations.pytorch.task import Tensors
from implementations.pytorch.training.run import Run
from implementations.pytorch.training.step import train_step

from .compute import ComputeTimes, sleep, spin
from .copies import numbered, verify_copies
from .counters import Reads, Storage
from .figures import Pass

NULL_STEPS, REAL_STEPS = 50, 5  # most steps of the loop without reads, and where the network computes


class Passes:
    """The loop of training. Ranks meet after every step, as they do to add up gradients."""

    def __init__(self, run: Run, emulate: str, times: ComputeTimes):
        self.run, self.times, self.root = run, times, run.reader.root
        self.compute = {"sleep": sleep, "spin": spin, "device": self.on_device}[emulate]
        self.emulate = emulate
        self.batches_of_one: dict[int, Tensors] = {}

    def null(self) -> float | None:
        """Return the AU of the loop without reads, the least of any rank. It is the most that the emulation can reach;
        None where steps compute nothing."""
        run, config = self.run, self.run.config
        steps = train_batches(run.layout, self.ids(0), config.batch_size, run.seed, 1, config.accumulate)
        steps = steps[: REAL_STEPS if self.emulate == "device" else NULL_STEPS]
        steps = steps * -(-3 // len(steps))  # the first doesn't count
        if self.emulate != "device" and not self.times.mean:
            return None
        found = self.loop(steps, 1, lambda step: ([], 0))
        least = min(self.run.layout.gather(Pass("", *found, 0, Reads(), None).utilization or 0.0))
        return least or None

    def ids(self, copies: int) -> range:
        """Return the numbers of all samples, of the dataset or of so many copies of it."""
        samples = self.run.problem.split_samples("train")
        return numbered(samples, copies) if copies else samples

    def read(self, epoch: int, storage: Storage, verified: bool, copies: int = 0) -> Pass:
        """Make one pass over the dataset, or over so many copies of it. The first one of them as they are stored is
        `verified` as in a run: the sum of the digests of what was read is compared with the manifest."""
        run, config = self.run, self.run.config
        steps = train_batches(run.layout, self.ids(copies), config.batch_size, run.seed, epoch, config.accumulate)
        batches = device_batches(run.reader, "train", (part.samples for step in steps for part in step), run.device)
        before, disk, delivered = run.reader.reads, storage.disk_bytes(), [0]

        def ready(step: list) -> tuple[list[Batch], float]:
            found = [next(batches) for _ in step]
            delivered[0] += sum(t.numel() * t.element_size() for batch in found for t in batch.tensors)
            return found, sum(batch.wait for batch in found)

        run.layout.barrier()
        times = self.loop(steps, epoch, ready)
        run.layout.barrier()
        after = storage.disk_bytes()
        fetched = None if disk is None or after is None else after - disk
        if verified:
            published = published_fingerprints(self.root if copies else run.reader.root, run.problem)
            verify_copies(run, copies, published) if copies else run.verify("train", published)
        return Pass(socket.gethostname(), *times, delivered[0], run.reader.reads - before, fetched)

    def loop(self, steps: list, epoch: int, ready: Callable[[Any], tuple[list[Batch], float]]) -> tuple:
        """Return for each step the seconds waited, computed and taken."""
        waits, computed, taken = [], [], []
        asked = self.times.draw(self.run.seed, epoch, len(steps))
        since = time.perf_counter()
        for step, seconds in zip(steps, asked, strict=True):
            _, waited = ready(step)
            computed.append(self.compute(seconds, [len(part.samples) for part in step]))
            self.meet()
            now = time.perf_counter()
            waits.append(waited)
            taken.append(now - since)
            since = now
            self.run.heartbeat()
        return tuple(waits), tuple(computed), tuple(taken)

    def meet(self) -> None:
        """Wait for the other ranks."""
        if self.run.layout.ranks > 1:
            dist.all_reduce(torch.zeros(1, device=self.run.config.device))

    def on_device(self, seconds: float, sizes: Iterable[int]) -> float:
        """Make a training step on copies of one sample, with a learning rate of 0, and return its seconds. A real
        sample is used, because zeros and tiny numbers slow a CPU down."""
        start, run, state, sizes = time.perf_counter(), self.run, self.run.state, list(sizes)
        parts = [(1 / len(sizes), tuple(t[:size] for t in self.sample_batch(max(sizes)))) for size in sizes]
        for group in state.optimizer.param_groups:
            group["lr"] = 0.0
        state.model.train()
        train_step(run.task, state.model, state.optimizer, parts, run.layout).item()  # waits for the device
        return time.perf_counter() - start

    def sample_batch(self, size: int) -> Tensors:
        """Return `size` copies of the first sample's box, on the device."""
        if size not in self.batches_of_one:
            run, box, sample = self.run, self.run.reader.box, self.ids(0)[0]
            arrays = module_of(run.problem).verify_sample(self.root, run.problem, "train", sample, box).arrays
            self.batches_of_one[size] = tuple(t.to(run.config.device) for t in stack([arrays] * size, run.reader.blank))
        return self.batches_of_one[size]
