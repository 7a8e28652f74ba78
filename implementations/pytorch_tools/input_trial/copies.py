"""Copies of a dataset's training split, so that a trial can read more than main memory holds.

They lie below DIR/copies/, a folder for each, without a manifest, so that no run takes them for a dataset.
"""

from collections.abc import Callable
from pathlib import Path

from benchmark import fingerprint
from benchmark.run.reader import MANIFEST, Evidence, verify_split
from benchmark.workload import AnyProblem
from implementations.pytorch.input.staging import check_free_space, copy, to_copy
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.training.run import Run
from implementations.pytorch.training.stop import on_all_ranks


def numbered(samples: range, copies: int) -> range:
    """Return the numbers that samples have in all copies together."""
    return range(len(samples) * copies)


def place_of(root: Path, samples: range, number: int) -> tuple[Path, int]:
    """Return the folder of the copy that has the sample of this number, and its number in the dataset."""
    which, at = divmod(number, len(samples))
    return root / str(which), samples[at]


def make_copies(
    source: Path, root: Path, problem: AnyProblem, copies: int, layout: Layout, heartbeat: Callable[[], float]
) -> None:
    """Write what is missing of the copies, dealt out to the ranks. A file of the right size is not written again. All
    ranks call it. Raises Aborted on all of them if one cannot read or write, or if the disk is too small."""
    samples = {("train", sample): True for sample in problem.split_samples("train")}
    files = [path for path, _ in to_copy(source, problem, samples, 0) if path.name != MANIFEST]
    todo = [(path, root / str(which)) for which in range(copies) for path in files]
    todo = [(path, to) for path, to in todo if not has(to / path.relative_to(source), path)]
    wanted = sum(path.stat().st_size for path, _ in todo)
    layout.barrier()  # all ranks have looked before one writes

    def write() -> None:
        if layout.rank == 0:
            check_free_space(root, wanted)
        for path, to in todo[layout.rank :: layout.ranks]:
            copy(source, to, [(path, True)], 0.0)
            heartbeat()

    on_all_ranks(layout, f"{root}", write)


def verify_copies(run: Run, copies: int, fingerprints: dict[str, str]) -> None:
    """Compare the sum of the digests of what all ranks read with that of so many datasets. Raises WrongData on all
    ranks if they differ."""
    read = sum(run.layout.gather(run.reader.evidence("train")), Evidence())
    whole = fingerprint.to_hex(copies * fingerprint.from_hex(fingerprints["train"]))
    verify_split(run.reader.root, "train", read, {"train": whole})


def has(path: Path, source: Path) -> bool:
    """Return whether a copy of a file is there, as far as its size says."""
    return path.is_file() and path.stat().st_size == source.stat().st_size
