"""Batches on their way to the device: the next one is made while the present one computes."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

T = TypeVar("T")
Tensors = tuple[Tensor, ...]


def stack(samples: Sequence[tuple[np.ndarray, ...]], blank: tuple[np.ndarray, ...]) -> Tensors:
    """Samples' arrays -> tensors (N, ...) in main memory, not to be written to: one sample's are its own.

    `blank` says shapes and types, as N can be 0.
    """
    if len(samples) == 1:
        return tuple(torch.from_numpy(array).unsqueeze(0) for array in samples[0])
    columns = zip(*samples, strict=True) if samples else [()] * len(blank)
    arrays = [np.stack(c) if c else np.empty((0, *b.shape), b.dtype) for c, b in zip(columns, blank, strict=True)]
    return tuple(torch.from_numpy(array) for array in arrays)


def prefetch(batches: Iterator[Tensors], device: torch.device) -> Iterator[Tensors]:
    """The batches, in order, on the device. On a GPU the next one is made, pinned and copied by a thread, in a stream
    of its own, while the present one computes. What goes wrong there is raised here."""
    if device.type != "cuda":  # a thread would take from the cores that compute, and workers read ahead anyhow
        yield from batches
        return
    index = torch.cuda.current_device()  # a thread begins with the first
    stream = torch.cuda.Stream(index)
    with contextlib.closing(ahead(copies(batches, stream))) as source:
        for tensors, copied in source:
            computing = torch.cuda.current_stream(index)
            computing.wait_event(copied)
            for tensor in tensors:
                tensor.record_stream(computing)  # its memory isn't the copying stream's to use again before that
            yield tensors


def copies(batches: Iterator[Tensors], stream: torch.cuda.Stream) -> Iterator[tuple[Tensors, torch.cuda.Event]]:
    """Each batch on the stream's device, and the event of its being there."""
    for batch in batches:
        with torch.cuda.device(stream.device), torch.cuda.stream(stream):
            tensors = tuple(tensor.pin_memory().to(stream.device, non_blocking=True) for tensor in batch)
            copied = stream.record_event()
        yield tensors, copied


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The items, in order; a thread makes the next one while the present one is used. It ends with this iterator."""
    end = object()
    with ThreadPoolExecutor(1, "prefetch") as thread:
        following = thread.submit(next, items, end)
        while (item := following.result()) is not end:
            following = thread.submit(next, items, end)
            yield item
