"""The reader of runs, which also counts calls and bytes from devices, and can read other formats and places."""

from pathlib import Path
from typing import Any

from ..input.reader import Reader, Sample, read_sample
from .counters import Reads, counted
from .formats import read_copy
from .options import STORED

LOOKS = Reads(2 * 64, 2)  # that read_sample takes at the kernel's counters itself


class Counted(Sample):
    """A sample, and what reading it took: `reads`."""

    reads: Reads


class CountedReader(Reader):
    """See `Reader`. `reads` is what files gave so far; `form` is the format of the files below `root`."""

    def __init__(self, *arguments: Any):
        self.reads, self.form = Reads(), STORED
        super().__init__(*arguments)
        self.space = self.room

    def turn_to(self, root: Path, form: str) -> None:
        """Forget all samples, and read there from now on."""
        self.root, self.form, self.room = root, form, self.space
        self.cache.clear()
        self.known.clear()

    def where(self, split: str, sample: int, prove: bool) -> tuple:
        return self.form, *super().where(split, sample, prove)

    @staticmethod
    def read(form: str, *arguments: Any) -> Counted:
        """A sample as runs read it, or a copy in another format; what the thread read for it."""
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
