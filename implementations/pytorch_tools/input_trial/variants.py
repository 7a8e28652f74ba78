"""What a trial reads: the dataset as it is stored, copies of it, and its samples in other formats."""

from dataclasses import dataclass
from pathlib import Path

from benchmark.workload import AnyProblem, module_of

from .formats import copy_path
from .options import STORED

STAGED, SCRATCH, COPIES = "staged", "scratch", "copies"
WRITTEN = (STAGED, SCRATCH, COPIES)  # places of data that the trial itself writes


@dataclass(frozen=True)
class Variant:
    """A variant to measure: a format, and the folder that has it. `place` is the log's name for the folder."""

    form: str
    root: Path
    place: str
    copies: int = 0  # of the dataset, below the folder; 0 where the folder is the dataset

    def path(self, problem: AnyProblem, sample: int) -> Path:
        """Return the file of a training sample, of the first copy."""
        if self.form != STORED:
            return copy_path(self.root, self.form, "train", sample)
        folder = self.root / "0" if self.copies else self.root
        return module_of(problem).sample_path(folder, problem, "train", sample)

    def bytes(self, problem: AnyProblem) -> int:
        """Return the bytes of all files of samples."""
        each = sum(self.path(problem, sample).stat().st_size for sample in problem.split_samples("train"))
        return each * max(1, self.copies)
