"""Read as runs do, but also count calls and bytes from devices, and read other formats and folders."""

from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from benchmark.run.reader import Reader, Reading, read_box
from benchmark.workload import AnyProblem, Box

from .copies import place_of
from .counters import Reads, counted
from .formats import read_copy
from .options import STORED

OWN_READS = Reads(2 * 64, 2)  # what read_box itself reads of the kernel's counters


class CountedReading(Reading):
    """A reading, and what the thread read for it: `reads`."""

    reads: Reads


class CountedReader(Reader):
    """A `Reader` that counts. `reads` is what was read so far."""

    def __init__(self, *arguments: Any, **more: Any):
        super().__init__(*arguments, **more)
        self.reads, self.cache_bytes = Reads(), self.free_bytes
        self.read = read_counted

    def turn_to(self, root: Path, form: str, copies: int = 0) -> None:
        """Forget all samples, and read this folder and format from now on, or the copies of the dataset below it."""
        self.root, self.free_bytes = root, self.cache_bytes
        stored = read_of_copies_counted if copies else read_counted
        self.read = stored if form == STORED else partial(read_copy_counted, form)
        self.cache.clear()
        self.known.clear()
        self.verified.clear()

    def receive(self, split: str, sample: int, requested: Reading | Future[Reading] | None) -> Reading:
        found = super().receive(split, sample, requested)
        if not isinstance(requested, Reading):
            self.reads += found.reads
        return found


def read_counted(*arguments: Any) -> CountedReading:
    """Read a sample as runs do, and count what the thread reads for it."""
    found, reads = counted(lambda: read_box(*arguments))
    return counted_reading(found, reads - OWN_READS if reads.calls else reads)


def read_of_copies_counted(
    root: Path, problem: AnyProblem, split: str, sample: int, box: Box, known: Reading | None
) -> CountedReading:
    """Read a sample of one of the dataset's copies as runs do, and count what the thread reads for it."""
    folder, sample = place_of(root, problem.split_samples(split), sample)
    return read_counted(folder, problem, split, sample, box, known)


def read_copy_counted(form: str, *arguments: Any) -> CountedReading:
    """Read the copy of a sample in another format, and count what the thread reads for it."""
    return counted_reading(*counted(lambda: read_copy(form, *arguments)))


def counted_reading(found: Reading, reads: Reads) -> CountedReading:
    """Return a reading with what was read for it."""
    reading = CountedReading(*found)
    reading.reads = reads
    return reading
