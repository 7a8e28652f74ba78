"""Read samples in the order of an epoch. What is read for the first time is verified, and the evidence is added up."""

import contextlib
import faulthandler
import functools
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from zlib_ng import zlib_ng

from benchmark import fingerprint
from benchmark.launch import ending_signals
from benchmark.log import open_regular
from benchmark.problem import SPLITS
from benchmark.run.errors import WrongData
from benchmark.workload import AnyProblem, Box, VerifiedBox, module_of, whole_box

Arrays = tuple[np.ndarray, ...]
MANIFEST, HEAD = "manifest.json", 64 << 10  # its name, and the bytes in which its head lies


@dataclass(frozen=True)
class Evidence:
    """The evidence of what was read of a split: its fingerprint so far, samples, voxels by class with background first,
    and `bytes` read from files. A sample that is split over ranks counts on the rank with its first voxel."""

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


class Reading(NamedTuple):
    """A box as it was read, the checksum of its arrays, and the bytes that were read from files for it."""

    box: VerifiedBox
    checksum: int
    bytes: int


def read_box(
    root: Path, problem: AnyProblem, split: str, sample: int, box: Box, known: Reading | None = None
) -> Reading:
    """Read a box of one sample and verify it. A box that was verified before (`known`, whose arrays are not needed) is
    compared with its checksum instead. Raises ValueError, naming the file, when it is missing, damaged or changed."""
    module, before = module_of(problem), bytes_so_far()
    if known:
        with contextlib.suppress(ValueError):  # the verification below gives a better message
            arrays = module.read_sample(root, problem, split, sample, box, known.box.offsets)
            if checksum(arrays) == known.checksum:
                return Reading(known.box._replace(arrays=arrays), known.checksum, read_since(before, arrays))
    found = module.verify_sample(root, problem, split, sample, box)
    total = checksum(found.arrays)
    if known and total != known.checksum:
        raise ValueError(f"{module.sample_path(root, problem, split, sample)}: changed since the run first read it")
    return Reading(found, total, read_since(before, found.arrays))


def bounded(seconds: float | None, read: Callable[..., Reading], *arguments: object) -> Reading:
    """Return what `read` returns. If it takes longer than `seconds`, print where it is on stderr, and end this process
    with exit code 1. A C library that never returns, as HDF5 may from damaged metadata, keeps Python's lock, so that no
    thread and no signal handler of Python runs. The thread of faulthandler needs no lock. It watches one reading at a
    time of a process."""
    if seconds is None:
        return read(*arguments)
    faulthandler.dump_traceback_later(seconds, exit=True, file=descriptor_of_stderr())
    try:
        return read(*arguments)
    finally:
        faulthandler.cancel_dump_traceback_later()


def descriptor_of_stderr() -> int:
    """Return a descriptor for what is printed on stderr: that of the null device where it is closed or no file."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return null_device()


@functools.cache
def null_device() -> int:
    """Return a descriptor of the null device, which stays open."""
    return os.open(os.devnull, os.O_WRONLY)


def checksum(arrays: Iterable[np.ndarray]) -> int:
    """Return the CRC-32 of the arrays in C order. It protects against accidents, not against people."""
    total = 0
    for array in arrays:
        total = zlib_ng.crc32(np.ascontiguousarray(array), total)
    return total


def read_since(before: int, arrays: Iterable[np.ndarray]) -> int:
    """Return the bytes read from files since `before`, or the arrays' size where the kernel does not count."""
    return bytes_so_far() - before or sum(a.nbytes for a in arrays)


class ThreadIO:
    """The kernel's counters of this thread, open for reading."""

    def __init__(self) -> None:
        self.thread = threading.get_native_id()
        self.descriptor = os.open("/proc/thread-self/io", os.O_RDONLY)

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "descriptor"):
            close(self.descriptor)


LOCAL = threading.local()


def bytes_so_far() -> int:
    """Return the bytes that this thread has read from files, as the kernel counts them; 0 where it does not."""
    try:
        counts = getattr(LOCAL, "counts", None)
        if counts is None or counts.thread != threading.get_native_id():  # a forked process has its parent's counter
            counts = LOCAL.counts = ThreadIO()
        return int(os.pread(counts.descriptor, 64, 0).split()[1])  # rchar: 123
    except (OSError, LookupError, ValueError, AttributeError):
        return 0


class Reader:
    """Reads one box of every sample, ahead in worker processes, or without workers in this process. It keeps samples in
    memory up to `cache_gib`. A reading that takes longer than `timeout_seconds` ends the process that reads.

    The first reading of a sample is verified, byte by byte, and counts as evidence; later ones are compared with it.
    Build a reader with workers before anything that starts threads or uses a GPU, because workers are forked. It opens
    no file until the first batch is asked for.
    """

    read = staticmethod(read_box)

    def __init__(
        self,
        root: Path,
        problem: AnyProblem,
        box: Box | None = None,
        workers: int = 0,
        prefetch: int = 2,
        cache_gib: float = 1.0,
        timeout_seconds: float | None = None,
    ):
        self.root, self.problem, self.prefetch = Path(root), problem, prefetch
        self.box, self.timeout_seconds = box or whole_box(problem), timeout_seconds
        self.cache: dict[tuple[str, int], Reading] = {}
        self.known: dict[tuple[str, int], Reading] = {}  # verified boxes, without their arrays
        self.verified: dict[str, Evidence] = {}  # by split
        self.free_bytes = int(cache_gib * 2**30)  # of the cache
        self.bytes_read = 0  # from files, so far
        self.waited = 0.0  # seconds that the caller has waited for batches, so far
        self.blank = module_of(problem).blank(problem, self.box)
        self.pool = None
        if workers:
            fork = get_context("fork")
            self.pool = ProcessPoolExecutor(workers, fork, initializer=worker_init, initargs=(os.getpid(),))
            self.pool.submit(os.getpid).result()  # forks all of them, now

    def batches(self, split: str, batches: Iterable[Sequence[int]]) -> Iterator[list[Arrays]]:
        """Yield for each batch of sample ids, in order, the arrays of its samples. Workers are `prefetch` batches
        ahead. Do not write to the arrays. Raises WrongData for a bad file, and BrokenProcessPool for a dead worker."""
        waiting: deque[list[tuple[int, Reading | Future[Reading] | None]]] = deque()
        start = time.perf_counter()
        for batch in [*batches, *[None] * self.prefetch]:
            if batch is not None:
                waiting.append([(sample, self.request(split, sample)) for sample in batch])
            if waiting and (batch is None or len(waiting) > self.prefetch):
                ready = [self.receive(split, *requested).box.arrays for requested in waiting.popleft()]
                self.waited += time.perf_counter() - start
                yield ready
                start = time.perf_counter()

    def request(self, split: str, sample: int) -> Reading | Future[Reading] | None:
        """Return a sample from memory, the future of one from a worker, or None if this process has to read it."""
        held = self.cache.get((split, sample))
        return held or (self.pool.submit(bounded, *self.arguments(split, sample)) if self.pool else None)

    def arguments(self, split: str, sample: int) -> tuple[Any, ...]:
        """Return the arguments of `bounded`."""
        known = self.known.get((split, sample))
        return self.timeout_seconds, self.read, self.root, self.problem, split, sample, self.box, known

    def receive(self, split: str, sample: int, requested: Reading | Future[Reading] | None) -> Reading:
        """Return the requested sample, and keep it in memory if there is room."""
        if isinstance(requested, Reading):
            return requested
        try:
            found = requested.result() if requested else bounded(*self.arguments(split, sample))
        except ValueError as error:
            raise WrongData(str(error)) from None
        self.bytes_read += found.bytes
        if (split, sample) not in self.known:
            self.known[split, sample] = found._replace(box=found.box._replace(arrays=()))
            first = int(not any(self.box.origin))
            evidence = Evidence(found.box.digest, first, found.box.class_counts, found.bytes)
            self.verified[split] = self.verified.get(split, Evidence()) + evidence
        size = sum(array.nbytes for array in found.box.arrays)
        if size <= self.free_bytes and (split, sample) not in self.cache:
            self.cache[split, sample] = found
            self.free_bytes -= size
        return found

    def evidence(self, split: str) -> Evidence:
        """Return the evidence of all samples of a split that this reader has read."""
        return self.verified.get(split, Evidence())

    def close(self) -> None:
        """End the workers, after what they are reading now, and wait for them.

        Without the wait, the executor's thread may close its pipe just as Python, which is about to end, writes to it:
        "OSError: Bad file descriptor" after the run's last line.
        """
        if self.pool:
            self.pool.shutdown(cancel_futures=True)


def worker_init(parent: int) -> None:
    """Set up a worker: it leaves the signals of `ending_signals` to its parent, but for SIGTERM, and ends when its
    parent does, even by a kill."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def published_fingerprints(root: Path, problem: AnyProblem) -> dict[str, str]:
    """Return the fingerprints in the dataset's manifest, by split, from the head of the file: a run does not need the
    list of samples below it. Raises WrongData if the manifest is missing or another problem's."""
    path = Path(root) / MANIFEST
    try:
        with open_regular(path) as file:
            head, samples, _ = file.read(HEAD).partition(b',\n "samples"')
        fields = json.loads(head + b"}" * bool(samples))
        if fields["problem_digest"] == problem.digest():
            return {split: str(fields["fingerprints"][split]) for split in SPLITS}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise WrongData(wrong_manifest(root, problem), everywhere=True)


def wrong_manifest(root: Path, problem: AnyProblem) -> str:
    """Return in words what is wrong with a dataset's manifest, and what to do."""
    from benchmark.manifest import load_manifest  # here, because a run with the right data does not load it

    try:
        load_manifest(root, problem)
    except ValueError as error:
        return str(error)
    return f"{Path(root) / MANIFEST}: found no head of a manifest as generate.py writes it, wanted one"


def verify_split(root: Path, split: str, evidence: Evidence, fingerprints: dict[str, str]) -> None:
    """Compare what all ranks together read of a split with the manifest's fingerprint. Raises WrongData if they
    differ."""
    found, wanted = fingerprint.to_hex(evidence.fingerprint), fingerprints[split]
    if found != wanted:
        reason = f"{root}: found {split} fingerprint {found}, wanted the manifest's {wanted}"
        raise WrongData(reason, everywhere=True)


def drop_cached_pages(root: Path, share: int = 0, shares: int = 1) -> None:
    """Ask the operating system to drop the dataset's pages from its cache, so that a run pays for reading. Of `shares`
    processes of a node each does so for its `share` of the files, from 0."""
    for path in itertools.islice(all_files(root), share, None, shares) if hasattr(os, "posix_fadvise") else ():
        with contextlib.suppress(OSError):  # no regular file, or gone: there is nothing of it that a run could read
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def all_files(root: Path) -> Iterator[str]:
    """Yield the path of each file below a folder, in an order that is the same in all processes. Folders are listed;
    nothing is asked of the files themselves, which on a large file system takes as long as opening them."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names))
