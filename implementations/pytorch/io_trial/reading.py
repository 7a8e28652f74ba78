"""Read as runs do, but also count calls and bytes from devices, and read other formats and folders."""

from pathlib import Path
from typing import Any

from ..input.reader import Reader, Sample, read_sample
from .counters import Reads, counted
from .formats import read_copy
from .options import STORED

LOOKS = Reads(2 * 64, 2)  # what read_sample itself reads of the kernel's counters


class Counted(Sample):
    """A sample, and what was read for it: `reads`."""

    reads: Reads


class CountedReader(Reader):
    """A `Reader` that counts. `reads` is what was read so far; `form` is the format of the files below `root`."""

    def __init__(self, *arguments: Any):
        self.reads, self.form = Reads(), STORED
        super().__init__(*arguments)
        self.space = self.room

    def turn_to(self, root: Path, form: str) -> None:
        """Forget all samples, and read this folder and format from now on."""
        self.root, self.form, self.room = root, form, self.space
        self.cache.clear()
        self.known.clear()

    def where(self, split: str, sample: int, prove: bool) -> tuple:
        return self.form, *super().where(split, sample, prove)

    @staticmethod
    def read(form: str, *arguments: Any) -> Counted:
        """Read a sample as runs do, or a copy in another format, and count what the thread reads for it."""
        if form == STORED:
            found, reads = counted(lambda: read_sample(*arguments))
            reads -= LOOKS if reads.calls else Reads()
        else:
            found, reads = counted(lambda: read_copy(form, *arguments))
        sample = Counted(*found)
        sample.reads = reads
        return sample

    def receive(self, split: str, sample: int, source: Any, prove: bool) -> Sample:
        found = super().receive(split, sample, source, prove)
        if not isinstance(source, Sample):
            self.reads += found.reads
        return found
