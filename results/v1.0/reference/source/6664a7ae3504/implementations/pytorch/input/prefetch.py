"""Move batches to the device. On a GPU the next batch is prepared while the present one is computed."""

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor

from benchmark.run.reader import Arrays, Reader

T = TypeVar("T")
Tensors = tuple[Tensor, ...]


class Batch(NamedTuple):
    """A batch of boxes: tensors (N, ...), where N can be 0, and the seconds that the caller waited for them."""

    tensors: Tensors
    wait: float


def device_batches(
    reader: Reader, split: str, batches: Iterable[Sequence[int]], device: torch.device
) -> Iterator[Batch]:
    """Yield the batches of sample ids, in order, on the device. Raises what `Reader.batches` raises."""
    stacked = (stack(samples, reader.blank) for samples in reader.batches(split, batches))
    with contextlib.closing(prefetch(stacked, device)) as source:
        start = time.perf_counter()
        for tensors in source:
            yield Batch(tensors, time.perf_counter() - start)
            start = time.perf_counter()


def stack(samples: Sequence[Arrays], blank: Arrays) -> Tensors:
    """Stack samples' arrays into tensors (N, ...) in main memory. `blank` gives shapes and types, since N can be 0.

    Do not write to the tensors: those of a single sample share its memory.
    """
    if len(samples) == 1:
        return tuple(torch.from_numpy(array).unsqueeze(0) for array in samples[0])
    columns = zip(*samples, strict=True) if samples else [()] * len(blank)
    arrays = [np.stack(c) if c else np.empty((0, *b.shape), b.dtype) for c, b in zip(columns, blank, strict=True)]
    return tuple(torch.from_numpy(array) for array in arrays)


def prefetch(batches: Iterator[Tensors], device: torch.device) -> Iterator[Tensors]:
    """Yield the batches, in order, on the device. On a GPU a thread makes, pins and copies the next one, in a stream of
    its own, while the present one is computed. Its errors are raised here."""
    if device.type != "cuda":  # a thread would take time from the cores that compute, and workers read ahead anyway
        yield from batches
        return
    index = torch.cuda.current_device()  # a new thread would start with device 0
    stream = torch.cuda.Stream(index)
    with contextlib.closing(prefetch_next(copies(batches, stream))) as source:
        for tensors, copied in source:
            computing = torch.cuda.current_stream(index)
            computing.wait_event(copied)
            for tensor in tensors:
                tensor.record_stream(computing)  # keeps its memory until the computing stream is done with it
            yield tensors


def copies(batches: Iterator[Tensors], stream: torch.cuda.Stream) -> Iterator[tuple[Tensors, torch.cuda.Event]]:
    """Yield each batch on the stream's device, and the event of the finished copy."""
    for batch in batches:
        with torch.cuda.device(stream.device), torch.cuda.stream(stream):
            tensors = tuple(tensor.pin_memory().to(stream.device, non_blocking=True) for tensor in batch)
            copied = stream.record_event()
        yield tensors, copied


def prefetch_next(items: Iterator[T]) -> Iterator[T]:
    """Yield the items in order. A thread makes the next one meanwhile, and ends with the iterator."""
    end = object()
    with ThreadPoolExecutor(1, "prefetch") as thread:
        following = thread.submit(next, items, end)
        while (item := following.result()) is not end:
            following = thread.submit(next, items, end)
            yield item
