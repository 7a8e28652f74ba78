"""Read datasets as the authors' generator writes them, unsharded:

    DIR/volumes/{training,validation}/<i>.npy        float32 (3, V, V, V), the colours
    DIR/masks/{training,validation}/<i>_mask.npy     uint16 (V, V, V), 0 background, else the category + 1

A file belongs to the one number in its name, and volume and mask of one number to each other. Sample k of a split is
its k-th number. Arrays are read by this module's own code from their header on: no pickle is ever loaded.
"""

import math
import os
import re
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

from benchmark.log import open_regular
from benchmark.printable import printable, reason
from benchmark.scaffold_published.problem import COLOURS, Problem
from benchmark.workload import Box

Arrays = tuple[np.ndarray, np.ndarray]  # colours, classes
FOLDERS = {"train": "training", "validation": "validation"}
NUMBERED = re.compile(r"\D*(\d+)\D*\.npy")
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
OF_NUMPY = (ValueError, TypeError, SyntaxError, TokenError, LookupError, RecursionError, OverflowError)  # for a header
HEADER_BYTES = 4096  # more than the headers of two files have
UNSHARDED = "unsharded files (dc_num_shards 1, 1, 1 in the generator's configuration)"


def sample_path(root: Path, problem: Problem, split: str, sample: int) -> Path:
    """Return the file of a sample's volume. Raises ValueError for a folder with more volumes than the problem, and for
    names that tell no number."""
    folder, ids = Path(root) / "volumes" / FOLDERS[split], problem.split_samples(split)
    names = list(files_in(folder).values())
    if len(names) > len(ids):
        raise ValueError(f"{folder}: found {len(names)} volumes, wanted {len(ids)} of {problem.name}")
    index = ids.index(sample)
    return folder / (names[index] if index < len(names) else f"volume {index + 1} of {len(ids)}")


def mask_path(volume: Path) -> Path:
    """Return the file of the mask that belongs to a volume's file. Raises ValueError if there is none."""
    folder = volume.parents[2] / "masks" / volume.parent.name
    number = number_of(volume)
    masks = files_in(folder)
    if number not in masks:
        raise ValueError(f"{folder}: found {len(masks)} masks, wanted one of number {number}, for {volume.name}")
    return folder / masks[number]


def files_beside(volume: Path) -> tuple[Path, ...]:
    """Return the sample's other files, for its volume's."""
    return (mask_path(volume),)


def files_in(folder: Path) -> dict[int, str]:
    """Return the names of a folder's arrays by number, in order."""
    try:
        return numbered(str(folder), os.stat(folder).st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return {}


@lru_cache(maxsize=8)
def numbered(folder: str, changed: int) -> dict[int, str]:
    """Return `files_in` of a folder that is there. `changed` is its time, which renews the cache."""
    found: dict[int, str] = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".npy") and not name.startswith("."):
            path = Path(folder) / name
            if (number := number_of(path)) in found:
                raise ValueError(
                    printable(f"{path}: found number {number} again, as in {found[number]}, wanted each once")
                )
            found[number] = name
    return dict(sorted(found.items()))


def number_of(path: Path) -> int:
    """Return the number in a file's name. Raises ValueError for none, and for several, which shards' names have."""
    known = NUMBERED.fullmatch(path.name)
    if not known or len(known[1]) > 18:
        raise ValueError(
            printable(f"{path}: found a name without one number, wanted <i>.npy, <i>_mask.npy: {UNSHARDED}")
        )
    return int(known[1])


def read_sample(root: Path, problem: Problem, split: str, sample: int, box: Box) -> Arrays:
    """Return colours, float32 (3, d, h, w), and classes, uint8 (d, h, w), of a box. Raises ValueError, naming the file,
    for whatever is missing, damaged or of another shape, type or range."""
    path = sample_path(root, problem, split, sample)
    colours = read_array(path, (COLOURS, *problem.shape), np.dtype("<f4"), box)
    if not np.isfinite(colours).all():
        raise ValueError(f"{path}: found colours that are not finite, wanted numbers")
    return colours, read_mask(path, problem, box)


def read_mask(volume: Path, problem: Problem, box: Box) -> np.ndarray:
    """Return the classes of a box, uint8 (d, h, w), of the mask that belongs to a volume's file."""
    path = mask_path(volume)
    mask = read_array(path, problem.shape, np.dtype("<u2"), box)
    if mask.size and mask.max() >= problem.classes:
        raise ValueError(f"{path}: found class {mask.max()}, wanted 0 to {problem.classes - 1}")
    return mask.astype(np.uint8)


def read_array(path: Path, shape: tuple[int, ...], kind: np.dtype, box: Box) -> np.ndarray:
    """Return a box of the last three axes of an array. Only the box's rows are read. Raises ValueError, naming the
    file."""
    try:
        with open_regular(path) as file:
            version = npy.read_magic(file)
            if version not in HEADERS:
                raise ValueError(f"found version {version} of the format, wanted 1.0 or 2.0")
            found, columns_first, dtype = HEADERS[version](file, max_header_size=HEADER_BYTES)
            if dtype.hasobject:
                raise ValueError("found pickled objects, which are never loaded; wanted numbers")
            if found != shape or dtype != kind or columns_first:
                order = " in Fortran order" if columns_first else ""
                sharded = (
                    f"; wanted {UNSHARDED}" if len(found) == len(shape) and math.prod(found) < math.prod(shape) else ""
                )
                raise ValueError(f"found {dtype} {found}{order}, wanted {kind} {shape}{sharded}")
            start, size = file.tell(), os.fstat(file.fileno()).st_size
            if size != start + math.prod(shape) * kind.itemsize:
                raise ValueError(f"found {size} bytes, wanted {start + math.prod(shape) * kind.itemsize}")
            return read_rows(file, start, shape, kind, box)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except (OSError, EOFError, *OF_NUMPY) as error:
        raise ValueError(printable(f"{path}: {reason(error)[:300]}")) from None


def read_rows(file: BinaryIO, start: int, shape: tuple[int, ...], kind: np.dtype, box: Box) -> np.ndarray:
    """Return a box of an array that begins at byte `start` of a file: for each plane, its rows as a whole, cut out."""
    (z, y, x), (depth, height, width) = box
    side, leading, size = shape[-1], math.prod(shape[:-3]), kind.itemsize
    part = np.empty((leading, depth, height, width), kind)
    for channel, plane in np.ndindex(leading, depth):
        file.seek(start + size * (((channel * shape[-3] + z + plane) * shape[-2] + y) * side))
        data = file.read(size * height * side)
        if len(data) != size * height * side:
            raise ValueError("truncated while it was read")
        part[channel, plane] = np.frombuffer(data, kind).reshape(height, side)[:, x : x + width]
    return part.reshape(*shape[:-3], depth, height, width)
