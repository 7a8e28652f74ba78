"""Copy samples to other formats, to compare how fast they are read: HDF5, TFRecord (gzipped or not), and raw.

Copies are of whole samples. A rank that needs a box of one reads all of it and cuts the box out.
"""

import gzip
from pathlib import Path

import h5py
import numpy as np

from benchmark.cosmoflow.tfrecord import read_example, write_example
from benchmark.run.reader import Reading, checksum
from benchmark.workload import AnyProblem, Box, VerifiedBox, module_of, whole_box
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.training.stop import on_all_ranks

ENDINGS = {"hdf5": ".h5", "tfrecord": ".tfrecord", "tfrecord-gzip": ".tfrecord.gz", "raw": ".raw"}


def copy_path(root: Path, form: str, split: str, sample: int) -> Path:
    """Return the file of a sample's copy."""
    return root / form / split / f"{sample:07d}{ENDINGS[form]}"


def whole_blank(problem: AnyProblem) -> tuple[np.ndarray, ...]:
    """Return a whole sample's arrays, filled with zeros."""
    return module_of(problem).blank(problem, whole_box(problem))


def convert(source: Path, root: Path, form: str, problem: AnyProblem, layout: Layout) -> int:
    """Write the training split in a format, dealt out to the ranks, and return the bytes over all ranks. All ranks call
    it. Raises Aborted on all of them if one cannot read or write."""
    written = [0]

    def write() -> None:
        for sample in problem.split_samples("train")[layout.rank :: layout.ranks]:
            arrays = module_of(problem).verify_sample(source, problem, "train", sample, whole_box(problem)).arrays
            path = copy_path(root, form, "train", sample)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_copy(path, form, arrays)
            written.append(path.stat().st_size)

    on_all_ranks(layout, f"{root / form}", write)
    return sum(layout.gather(sum(written)))


def write_copy(path: Path, form: str, arrays: tuple[np.ndarray, ...]) -> None:
    """Write the copy of one sample."""
    if form == "hdf5":
        with h5py.File(path, "w", locking=False) as file:
            for number, array in enumerate(arrays):
                file.create_dataset(str(number), data=array)
    elif form == "raw":
        path.write_bytes(b"".join(array.tobytes() for array in arrays))
    else:
        write_example(path, {str(n): array.tobytes() for n, array in enumerate(arrays)})
        if form == "tfrecord":
            path.write_bytes(gzip.decompress(path.read_bytes()))


def read_copy(
    form: str, root: Path, problem: AnyProblem, split: str, sample: int, box: Box, known: Reading | None = None
) -> Reading:
    """Read a box of a copy. Raises ValueError, naming the file, if it is missing or has not the `known` checksum."""
    path = copy_path(root, form, split, sample)
    try:
        whole = read_arrays(path, form, whole_blank(problem))
    except (OSError, LookupError) as error:
        raise ValueError(f"{path}: {error}") from None
    arrays = tuple(cut(array, box, problem.shape) for array in whole)
    found = checksum(arrays)
    if known and known.checksum != found:
        raise ValueError(f"{path}: changed since the trial first read it")
    return Reading(VerifiedBox(arrays, 0, ()), found, path.stat().st_size)


def read_arrays(path: Path, form: str, blank: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """Return the arrays of a copy, which have the shapes and types of `blank`."""
    if form == "hdf5":
        with h5py.File(path, "r", locking=False) as file:
            return [file[str(n)][()] for n in range(len(blank))]
    if form == "raw":
        data, parts = path.read_bytes(), []
        for array in blank:
            parts.append(data[: array.nbytes])
            data = data[array.nbytes :]
    else:
        found = read_example(path, 2 * sum(a.nbytes for a in blank) + 4096)
        parts = [found[str(n)] for n in range(len(blank))]
    return [np.frombuffer(part, a.dtype).reshape(a.shape).copy() for part, a in zip(parts, blank, strict=True)]


def cut(array: np.ndarray, box: Box, whole: tuple[int, ...]) -> np.ndarray:
    """Cut a box out of an array whose first axes are the sample's. Return any other array whole, such as targets."""
    if array.shape[: len(whole)] == whole:
        return np.ascontiguousarray(array[tuple(slice(o, o + n) for o, n in zip(box.origin, box.shape, strict=True))])
    return array
