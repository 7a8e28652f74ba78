"""Readers of samples, the order of an epoch, and the evidence of what was read."""

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import SeedSequence
from torch import Tensor
from zlib_ng import zlib_ng

from benchmark import fingerprint
from benchmark.workload import AnyProblem, Box, module_of

from ..parallel.layout import Layout
from ..training.stop import WrongData
from .prefetch import prefetch, stack


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


class Known(NamedTuple):
    """A box that was proved: the checksum of its arrays, and their places in the file."""

    checksum: int
    places: Any


class Sample(NamedTuple):
    """A box of a sample: its workload's arrays, the bytes that were read from its file, what another reading needs to
    know, and the evidence if the box was proved."""

    arrays: tuple[np.ndarray, ...]
    bytes: int
    known: Known
    evidence: Evidence | None


class Batch(NamedTuple):
    """Boxes of samples side by side: tensors (N, ...); N can be 0. `wait` is the seconds waited for them."""

    tensors: tuple[Tensor, ...]
    wait: float


def read_sample(
    root: Path, problem: AnyProblem, split: str, sample: int, box: Box, known: Known | None = None
) -> Sample:
    """A box of one sample from its file, proved; or, where it was before, held against the checksum that is `known`.
    Raises ValueError naming the file when it is missing, damaged, or not what it was."""
    module, before = module_of(problem), bytes_so_far()
    if known:
        with contextlib.suppress(ValueError):  # proving it says best what is wrong
            arrays = module.read_sample(root, problem, split, sample, box, known.places)
            if checksum(arrays) == known.checksum:
                return Sample(arrays, read_since(before, arrays), known, None)
    proof = module.prove_sample(root, problem, split, sample, box)
    found = Known(checksum(proof.arrays), proof.places)
    if known and found.checksum != known.checksum:
        raise ValueError(f"{module.sample_path(root, problem, split, sample)}: changed since the run first read it")
    read = read_since(before, proof.arrays)
    evidence = Evidence(proof.summand, int(box.origin == (0, 0, 0)), proof.class_counts, read)
    return Sample(proof.arrays, read, found, evidence)


def checksum(arrays: Iterable[np.ndarray]) -> int:
    """CRC-32 of the arrays, one after another, in C order: it guards against accidents, not people."""
    total = 0
    for array in arrays:
        total = zlib_ng.crc32(np.ascontiguousarray(array), total)
    return total


def read_since(before: int, arrays: Iterable[np.ndarray]) -> int:
    """Bytes that came out of files since `before`; the arrays' own where the kernel doesn't count."""
    return bytes_so_far() - before or sum(a.nbytes for a in arrays)


class ThreadIO:
    """The kernel's counters of this thread, open for reading."""

    def __init__(self):
        self.thread = threading.get_native_id()
        self.descriptor = os.open("/proc/thread-self/io", os.O_RDONLY)

    def __del__(self, close: Callable[[int], None] = os.close):
        if hasattr(self, "descriptor"):
            close(self.descriptor)


LOCAL = threading.local()


def bytes_so_far() -> int:
    """Bytes that this thread has read from files, as the kernel counts them; 0 where it doesn't."""
    try:
        counts = getattr(LOCAL, "counts", None)
        if counts is None or counts.thread != threading.get_native_id():  # a forked process begins with its parent's
            counts = LOCAL.counts = ThreadIO()
        return int(os.pread(counts.descriptor, 64, 0).split()[1])  # rchar: 123
    except (OSError, LookupError, ValueError, AttributeError):
        return 0


class Reader:
    """Reads batches ahead, one box of every sample, in worker processes or (none) in place, and remembers samples
    as memory allows.

    Build it before anything that starts threads or touches a GPU: workers are forked. It opens no file
    until the first batch is asked for.
    """

    read = staticmethod(read_sample)

    def __init__(self, root: Path, problem: AnyProblem, box: Box, workers: int, prefetch: int, cache_gib: float):
        self.root, self.problem, self.box, self.prefetch = root, problem, box, prefetch
        self.cache: dict[tuple[str, int], Sample] = {}
        self.known: dict[tuple[str, int], Known] = {}  # of what was proved
        self.room = int(cache_gib * 2**30)  # bytes that are left of the cache
        self.bytes_read = 0  # from files, so far
        self.blank = module_of(problem).blank(problem, box)
        self.pool = None
        if workers:
            self.pool = ProcessPoolExecutor(workers, get_context("fork"), initializer=follow, initargs=(os.getpid(),))
            self.pool.submit(os.getpid).result()  # forks all of them, now

    def batches(
        self, split: str, batches: Iterable[list[int]], device: torch.device, proof: list[Evidence] | None = None
    ) -> Iterator[Batch]:
        """The batches of sample ids, in order, on the device. With `proof`, every sample comes from its file, and the
        evidence of its bytes is appended. Raises WrongData for a bad file, BrokenProcessPool for a dead worker."""
        with contextlib.closing(prefetch(self.stacked(split, batches, proof), device)) as source:
            start = time.perf_counter()
            for tensors in source:
                yield Batch(tensors, time.perf_counter() - start)
                start = time.perf_counter()

    def stacked(
        self, split: str, batches: Iterable[list[int]], proof: list[Evidence] | None
    ) -> Iterator[tuple[Tensor, ...]]:
        """The batches in main memory, `prefetch` of them ahead in the workers."""
        prove = proof is not None
        waiting: deque[list[tuple[int, Sample | Future | None]]] = deque()
        for batch in [*batches, *[None] * self.prefetch]:
            if batch is not None:
                waiting.append([(sample, self.request(split, sample, prove)) for sample in batch])
            if waiting and (batch is None or len(waiting) > self.prefetch):
                samples = [self.receive(split, sample, source, prove) for sample, source in waiting.popleft()]
                if prove:
                    proof.extend(s.evidence for s in samples)
                yield stack([s.arrays for s in samples], self.blank)

    def request(self, split: str, sample: int, prove: bool) -> Sample | Future | None:
        """A sample that is in memory, the promise of one from a worker, or None: it is to be read in place."""
        held = None if prove else self.cache.get((split, sample))
        return held or (self.pool.submit(self.read, *self.where(split, sample, prove)) if self.pool else None)

    def where(self, split: str, sample: int, prove: bool) -> tuple:
        """`read_sample`'s arguments."""
        known = None if prove else self.known.get((split, sample))
        return self.root, self.problem, split, sample, self.box, known

    def receive(self, split: str, sample: int, source: Sample | Future | None, prove: bool) -> Sample:
        """The sample that was requested, now, and remembered if there is room."""
        if isinstance(source, Sample):
            return source
        try:
            read = source.result() if source else self.read(*self.where(split, sample, prove))
        except ValueError as error:
            raise WrongData(str(error)) from None
        self.bytes_read += read.bytes
        self.known[split, sample] = read.known
        size = sum(array.nbytes for array in read.arrays)
        if size <= self.room and (split, sample) not in self.cache:
            self.cache[split, sample] = read
            self.room -= size
        return read

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


class Part(NamedTuple):
    """This rank's samples of a part of a batch, and the part's share of the batch, over all ranks."""

    weight: float
    samples: list[int]


def train_batches(
    layout: Layout, samples: range, batch_size: int, seed: int, epoch: int, accumulate: int = 1
) -> list[list[Part]]:
    """This rank's parts of every batch of an epoch. The order is drawn from the run's seed, the same on all
    ranks; the last batch is smaller where sizes don't divide, so every sample is trained on once."""
    word = SeedSequence([seed, 1, epoch]).generate_state(1)[0]
    generator = torch.Generator().manual_seed(int(word))
    order = [samples[i] for i in torch.randperm(len(samples), generator=generator).tolist()]
    batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
    return [
        [Part(len(part) / len(batch), layout.share(part)) for i in range(accumulate) if (part := batch[i::accumulate])]
        for batch in batches
    ]


def evaluation_batches(layout: Layout, samples: range, batch_size: int) -> list[list[int]]:
    """This rank's part of a split in batches of its own: no communication, so their number may differ by rank."""
    share = layout.share(samples)
    return [share[i : i + batch_size] for i in range(0, len(share), batch_size)]


def drop_cached_pages(root: Path) -> None:
    """Ask the operating system to forget the dataset's pages, so that a run pays for its reading. Reads nothing."""
    for path in (p for p in root.rglob("*") if p.is_file()) if hasattr(os, "posix_fadvise") else ():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
