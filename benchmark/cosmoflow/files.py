"""Read and write CosmoFlow's files. A file has one sample, as a TFRecord, gzipped or not, or as HDF5. The ending of its
name says which.

Both formats have x, counts of particles, int16 (side, side, side, channels), and y, float32 (4,). In a TFRecord they
are features of an Example, x as raw little-endian bytes. In HDF5 they are datasets, x in chunks of bricks.
"""

import itertools
import os
from functools import lru_cache
from pathlib import Path

import h5py
import numpy as np
from isal import isal_zlib

from benchmark.atomic import replacing
from benchmark.cosmoflow.problem import PARAMETERS, Problem
from benchmark.cosmoflow.tfrecord import read_example, write_example
from benchmark.hdf5 import opened
from benchmark.hdf5_facts import data_of
from benchmark.hdf5_writing import writing
from benchmark.workload import Box

Arrays = tuple[np.ndarray, np.ndarray]  # x, y
ENDINGS = {"tfrecord": ".tfrecord.gz", "hdf5": ".h5"}  # of what is generated
KNOWN = (".tfrecord", ".tfrecord.gz", ".tfrecords", ".h5", ".hdf5")  # of what is read
FRAMING = 4096  # bytes, more than an Example and a record add to their values
GZIP_LEVEL = 4


def sample_path(root: Path, problem: Problem, split: str, sample: int) -> Path:
    """Return the file of a sample. Generated files are named by id. Real data have names of their own, so sample i of a
    split is its i-th file by name. Raises ValueError where a split of real data has too few files.
    """
    folder, ids = Path(root) / split, problem.split_samples(split)
    if problem.universe:
        return folder / f"{sample:05d}{ENDINGS[problem.format]}"
    try:
        names = sample_files(str(folder), os.stat(folder).st_mtime_ns)
    except OSError:
        names = ()
    if len(names) < len(ids):
        raise ValueError(f"{folder}: found {len(names)} sample files (*{', *'.join(KNOWN)}), wanted {len(ids)}")
    return folder / names[sample - ids.start]


@lru_cache(maxsize=4)
def sample_files(folder: str, changed: int) -> tuple[str, ...]:
    """Return the sorted names of a folder's sample files. `changed` is the folder's time, which renews the cache."""
    return tuple(sorted(name for name in os.listdir(folder) if name.endswith(KNOWN) and not name.startswith(".")))


def write_sample(path: Path, problem: Problem, x: np.ndarray, y: np.ndarray) -> None:
    """Store a sample, completely or not at all, in the format of the file's ending."""
    with replacing(path) as temporary:
        if path.name.endswith((".h5", ".hdf5")):
            write_hdf5(temporary, problem, x, y)
        else:
            features = {"x": np.ascontiguousarray(x, "<i2").tobytes(), "y": y.astype(np.float32)}
            write_example(temporary, features, GZIP_LEVEL)


def write_hdf5(path: Path, problem: Problem, x: np.ndarray, y: np.ndarray) -> None:
    """Write the HDF5 file of a sample."""
    chunks = (problem.brick,) * 3 + (problem.channels,)
    with writing(path) as file:
        file.create_dataset("x", data=x, dtype="<i2", chunks=chunks, compression="gzip", compression_opts=GZIP_LEVEL)
        file.create_dataset("y", data=y, dtype="<f4")


def read_sample(path: Path, problem: Problem, box: Box) -> Arrays:
    """Return x of a box, int16 (d, h, w, channels), and y, float32 (4,). Of an HDF5 file only the chunks that the box
    touches are read; a TFRecord is read as a whole. Raises ValueError, naming the file, if it is missing, damaged or of
    another content."""
    read = read_hdf5 if path.name.endswith((".h5", ".hdf5")) else read_tfrecord
    x, y = read(path, problem, tuple(slice(o, o + n) for o, n in zip(*box, strict=True)))
    if x.size and x.min() < 0:
        raise ValueError(f"{path}: x: found {x.min()}, wanted counts of 0 or more")
    if not np.isfinite(y).all():
        raise ValueError(f"{path}: y: found {y.tolist()}, wanted finite numbers")
    return x, y


def read_tfrecord(path: Path, problem: Problem, cut: tuple[slice, ...]) -> Arrays:
    """Return x, cut out, and y of a TFRecord. Raises ValueError, naming the file, for any other content."""
    shape = (*problem.shape, problem.channels)
    size = 2 * int(np.prod(shape))
    found = read_example(path, size + FRAMING)
    for name in ("x", "y"):
        if name not in found:
            raise ValueError(f"{path}: found features {', '.join(sorted(found)) or 'none'}, wanted {name}")
    x, y = found["x"], found["y"]
    if isinstance(x, np.ndarray) or len(x) != size:
        kind = "floats" if isinstance(x, np.ndarray) else "bytes"
        raise ValueError(f"{path}: x: found {len(x)} {kind}, wanted {size} bytes: int16 {shape}")
    if not isinstance(y, np.ndarray) or y.shape != (PARAMETERS,):
        kind = "floats" if isinstance(y, np.ndarray) else "bytes"
        raise ValueError(f"{path}: y: found {len(y)} {kind}, wanted {PARAMETERS} floats")
    voxels = np.frombuffer(x, "<i2").reshape(shape)[cut]
    return np.array(voxels, np.int16, order="C"), y  # a copy of its own, aligned


def read_hdf5(path: Path, problem: Problem, cut: tuple[slice, ...]) -> Arrays:
    """Return x, cut out, and y of an HDF5 file. Raises ValueError, naming the file, for any other content."""
    wanted = {"x": ((*problem.shape, problem.channels), "i"), "y": ((PARAMETERS,), "f")}
    with opened(path) as file:
        for name, (shape, kind) in wanted.items():
            if name not in file:
                raise ValueError(f"{path}: found datasets {', '.join(sorted(file))[:200] or 'none'}, wanted {name}")
            data = data_of(file, name)
            if data.shape != shape or data.dtype.kind != kind:
                kinds = "int16" if kind == "i" else "float32"
                raise ValueError(f"{path}: {name}: found {data.dtype} {data.shape}, wanted {kinds} {shape}")
        try:
            return read_counts(file["x"], problem.brick, cut), file["y"].astype(np.float32)[:]
        except isal_zlib.error as error:
            raise ValueError(f"a chunk does not inflate: {error}") from None


def read_counts(data: h5py.Dataset, brick: int, cut: tuple[slice, ...]) -> np.ndarray:
    """Return x of a box, int16. Whole bricks, stored as `write_hdf5` stores them, are inflated by ISA-L, which takes
    half as long as HDF5 with zlib. Anything else is read by HDF5."""
    ours = data.dtype == "<i2" and data.compression == "gzip" and data.chunks == (brick, brick, brick, data.shape[3])
    filtered = data.shuffle or data.fletcher32 or data.scaleoffset is not None
    if not ours or filtered or any(s.start % brick or s.stop % brick for s in cut):
        return narrowed(data[cut])
    size = 2 * brick**3 * data.shape[3]
    x = np.empty((*(s.stop - s.start for s in cut), data.shape[3]), np.int16)
    for corner in itertools.product(*(range(s.start, s.stop, brick) for s in cut)):
        try:
            skipped, stored = data.id.read_direct_chunk((*corner, 0))
        except MemoryError:
            raise ValueError(f"the chunk at {corner} was never written") from None
        stored = stored if skipped else isal_zlib.decompressobj().decompress(stored, size + 1)
        if len(stored) != size:
            raise ValueError(f"the chunk at {corner} has {len(stored)} bytes, wanted {size}")
        inside = tuple(slice(c - s.start, c - s.start + brick) for c, s in zip(corner, cut, strict=True))
        x[inside] = np.frombuffer(stored, "<i2").reshape(data.chunks)
    return x


def narrowed(counts: np.ndarray) -> np.ndarray:
    """Return integers as int16. Raises ValueError for one that int16 does not have."""
    x = counts.astype(np.int16)
    if not np.array_equal(x, counts):
        raise ValueError(f"x: found counts from {counts.min()} to {counts.max()}, wanted those of int16")
    return x
