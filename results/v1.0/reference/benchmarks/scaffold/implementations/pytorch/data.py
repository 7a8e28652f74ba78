"""Reading samples: readers, the order of an epoch, and the evidence of what was read."""

import math
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmark import fingerprint
from benchmark.problem import Problem
from benchmark.store import read_box, sample_path
from implementations.pytorch.layout import Box, Layout
from implementations.pytorch.stop import WrongData


@dataclass(frozen=True)
class Evidence:
    """What was read: the fingerprint's sum over its bricks, samples, and voxels by class, background first.

    A sample that is split counts where its first voxel is. `bytes` is what came out of files, all told.
    """

    fingerprint: int = 0
    samples: int = 0
    class_counts: tuple[int, ...] = ()
    bytes: int = 0

    def __add__(self, other: "Evidence") -> "Evidence":
        counts = self.class_counts or (0,) * len(other.class_counts)
        more = other.class_counts or (0,) * len(counts)
        return Evidence(
            fingerprint.add(self.fingerprint, other.fingerprint),
            self.samples + other.samples,
            tuple(a + b for a, b in zip(counts, more, strict=True)),
            self.bytes + other.bytes,
        )


class Sample(NamedTuple):
    """A box of a sample: uint8 (D, H, W) each, and the evidence of its bytes if it was asked for."""

    volume: np.ndarray
    label: np.ndarray
    evidence: Evidence | None


class Batch(NamedTuple):
    """Boxes of samples side by side: uint8 (N, D, H, W) each; N can be 0. `wait` is the seconds waited for them."""

    volume: Tensor
    label: Tensor
    wait: float


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box, prove: bool) -> Sample:
    """A box of one sample from its file. Raises ValueError naming the file when it is missing or damaged."""
    path, before = sample_path(root, split, sample), bytes_so_far()
    volume, label = read_box(path, *box)
    if not prove:
        return Sample(volume, label, None)
    read = bytes_so_far() - before or volume.nbytes + label.nbytes
    counts = np.bincount(label.ravel(), minlength=problem.classes)
    if len(counts) > problem.classes:
        raise ValueError(f"{path}: found label {len(counts) - 1}, wanted labels below {problem.classes}")
    digest = fingerprint.box_digest(split, sample, box.origin, volume, label, problem.brick)
    return Sample(volume, label, Evidence(digest, int(box.origin == (0, 0, 0)), tuple(counts.tolist()), read))


def bytes_so_far() -> int:
    """Bytes that this thread has read from files, as the kernel counts them; 0 where it doesn't."""
    try:
        return int(Path("/proc/thread-self/io").read_text().split()[1])  # rchar: 123
    except (OSError, LookupError, ValueError):
        return 0


class Reader:
    """Reads batches ahead, one box of every sample, in worker processes or (none) in place, and remembers samples
    as memory allows.

    Build it before anything that starts threads or touches a GPU: workers are forked. It opens no file
    until the first batch is asked for.
    """

    def __init__(self, root: Path, problem: Problem, box: Box, workers: int, prefetch: int, cache_gib: float):
        self.root, self.problem, self.box, self.prefetch = root, problem, box, prefetch
        self.cache: dict[tuple[str, int], Sample] = {}
        self.room = int(cache_gib * 2**30) // (2 * math.prod(box.shape))  # samples
        self.pool = None
        if workers:
            self.pool = ProcessPoolExecutor(workers, get_context("fork"), initializer=follow, initargs=(os.getpid(),))
            self.pool.submit(os.getpid).result()  # forks all of them, now

    def batches(
        self, split: str, batches: Iterable[list[int]], device: torch.device, proof: list[Evidence] | None = None
    ) -> Iterator[Batch]:
        """The batches of sample ids, in order. With `proof`, every sample comes from its file, and the
        evidence of its bytes is appended. Raises WrongData for a bad file, BrokenProcessPool for a dead worker."""
        prove = proof is not None
        ahead: deque[list[tuple[int, Sample | Future | None]]] = deque()
        for batch in [*batches, *[None] * self.prefetch]:
            if batch is not None:
                ahead.append([(sample, self.request(split, sample, prove)) for sample in batch])
            if ahead and (batch is None or len(ahead) > self.prefetch):
                start = time.perf_counter()
                samples = [self.receive(split, sample, source, prove) for sample, source in ahead.popleft()]
                if prove:
                    proof.extend(s.evidence for s in samples)
                volume, label = (self.stack([s[part] for s in samples], device) for part in (0, 1))
                yield Batch(volume, label, time.perf_counter() - start)

    def request(self, split: str, sample: int, prove: bool) -> Sample | Future | None:
        """A sample that is in memory, the promise of one from a worker, or None: it is to be read in place."""
        known = None if prove else self.cache.get((split, sample))
        if known or not self.pool:
            return known
        return self.pool.submit(read_sample, self.root, self.problem, split, sample, self.box, prove)

    def receive(self, split: str, sample: int, source: Sample | Future | None, prove: bool) -> Sample:
        """The sample that was requested, now, and remembered if there is room."""
        try:
            read = source.result() if isinstance(source, Future) else source
            read = read or read_sample(self.root, self.problem, split, sample, self.box, prove)
        except ValueError as error:
            raise WrongData(str(error)) from None
        if len(self.cache) < self.room:
            self.cache[split, sample] = read
        return read

    def stack(self, parts: list[np.ndarray], device: torch.device) -> Tensor:
        """Arrays (D, H, W) uint8 -> (N, D, H, W) on the device; N can be 0."""
        empty = torch.empty((0, *self.box.shape), dtype=torch.uint8)
        batch = torch.from_numpy(np.stack(parts)) if parts else empty
        return batch.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else batch

    def close(self) -> None:
        """End the workers."""
        if self.pool:
            self.pool.shutdown(wait=False, cancel_futures=True)


def follow(parent: int) -> None:
    """A worker's first act: leave signals to the parent, and end when it does, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def train_batches(layout: Layout, samples: range, batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """This rank's part of every batch of an epoch. The order is drawn from the run's seed, the same on all
    ranks; the last batch is smaller where sizes don't divide, so every sample is trained on once."""
    generator = torch.Generator().manual_seed((seed + epoch) % 2**63)
    order = [samples[i] for i in torch.randperm(len(samples), generator=generator).tolist()]
    return [layout.share(order[i : i + batch_size]) for i in range(0, len(order), batch_size)]


def evaluation_batches(layout: Layout, samples: range, batch_size: int) -> list[list[int]]:
    """This rank's part of a split in batches of its own: no communication, so their number may differ by rank."""
    share = layout.share(samples)
    return [share[i : i + batch_size] for i in range(0, len(share), batch_size)]


def drop_cached_pages(root: Path) -> None:
    """Ask the operating system to forget the dataset's pages, so that a run pays for its reading. Reads nothing."""
    for path in root.rglob("*.h5") if hasattr(os, "posix_fadvise") else ():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
