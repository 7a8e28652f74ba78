"""Read and write DeepCAM's files as published: DIR/<split>/data-*.h5 and DIR/stats.h5.

A sample's file has `/climate/data`, float32 (H, W, 16), and `/climate/labels_0`, integers (H, W) in 0..2. stats.h5 has
`/climate/minval` and `/climate/maxval` (16,), over the training split. A published file states neither its sample id
nor its split, so ids count the files of a split by name. A twin's file has its problem's digest as an attribute.
"""

import os
from functools import lru_cache
from pathlib import Path

import h5py
import numpy as np
from h5py import h5a

from benchmark.atomic import replacing
from benchmark.deepcam.problem import CHANNELS, CLASSES, Problem
from benchmark.hdf5 import opened
from benchmark.hdf5_facts import attributes, data_of, value_of
from benchmark.hdf5_writing import writing

DATA, LABELS, LEAST, GREATEST = "climate/data", "climate/labels_0", "climate/minval", "climate/maxval"
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def sample_path(root: Path, problem: Problem, split: str, sample: int) -> Path:
    """Return the file of a sample. Raises ValueError if a folder of real data has more files than samples."""
    folder = Path(root) / split
    if problem.twin:
        return folder / f"data-{sample:06d}.h5"
    ids = problem.split_samples(split)
    names = data_files(folder, folder.stat().st_mtime_ns if folder.is_dir() else 0)
    if len(names) > len(ids):
        raise ValueError(f"{folder}: found {len(names)} files data-*.h5, wanted {len(ids)}")
    index = ids.index(sample)
    return folder / (names[index] if index < len(names) else f"data-*.h5 number {index + 1} of {len(ids)}")


@lru_cache(maxsize=4)
def data_files(folder: Path, changed: int) -> tuple[str, ...]:
    """Return the sorted names of a folder's sample files. `changed` is the folder's time, which renews the cache."""
    names = os.listdir(folder) if folder.is_dir() else []
    return tuple(sorted(name for name in names if name.startswith("data-") and name.endswith(".h5")))


def write_sample(path: Path, problem: Problem, data: np.ndarray, label: np.ndarray) -> None:
    """Store a generated sample, float32 (H, W, 16) and uint8 (H, W), completely or not at all."""
    with replacing(path) as temporary, writing(temporary) as file:
        file[DATA], file[LABELS] = data, label
        file.attrs["problem"] = np.bytes_(problem.digest())  # of fixed length: see benchmark/hdf5_facts.py


def write_stats(root: Path, least: np.ndarray, greatest: np.ndarray) -> None:
    """Store the range of each channel (16,), if it is not there yet. Every writer would write the same."""
    path = stats_path(root)
    if not path.exists():
        with replacing(path) as temporary, writing(temporary) as file:
            file[LEAST], file[GREATEST] = least, greatest


def stats_path(root: Path) -> Path:
    return Path(root) / "stats.h5"


def read_sample(root: Path, problem: Problem, split: str, sample: int) -> Arrays:
    """Return data as stored, float32 (H, W, 16), the range of each channel, float32 (2, 16), and labels, uint8 (H, W).

    Raises ValueError, naming the file, if it is missing, damaged, of another shape or of another problem.
    """
    path, shape = sample_path(root, problem, split, sample), (problem.height, problem.width)
    least, greatest = read_stats(root)
    with opened(path) as file:
        if h5a.exists(file.id, b"problem"):
            found = value_of(attributes(path, file, ("problem",))["problem"])
            if found != problem.digest().encode():
                wanted = f"{problem.digest()} ({problem.name})"
                raise ValueError(f"{path}: made for problem digest {found!r:.80}, wanted {wanted}")
        data = read(path, file, DATA, (*shape, CHANNELS), "float")
        label = read(path, file, LABELS, shape, "integer")
    if label.min() < 0 or label.max() >= len(CLASSES):
        raise ValueError(f"{path}: /{LABELS}: found labels {label.min()}..{label.max()}, wanted 0..{len(CLASSES) - 1}")
    return data.astype(np.float32, copy=False), np.stack([least, greatest]), label.astype(np.uint8, copy=False)


def read_stats(root: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest value of each channel, float32 (16,). Raises ValueError, naming the file."""
    path = stats_path(root)
    state = os.stat(path) if path.exists() else None
    return cached_stats(path, state and (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=4)
def cached_stats(path: Path, state: tuple[int, int] | None) -> tuple[np.ndarray, np.ndarray]:
    """Read stats.h5. `state` is its time and size, which renew the cache."""
    with opened(path) as file:
        least, greatest = (
            read(path, file, name, (CHANNELS,), "float").astype(np.float32) for name in (LEAST, GREATEST)
        )
    flat = np.flatnonzero(~(greatest > least))
    if len(flat):
        channel = int(flat[0])
        found = f"{least[channel]} and {greatest[channel]}"
        raise ValueError(f"{path}: channel {channel}: found least and greatest value {found}, wanted least < greatest")
    return least, greatest


def read(path: Path, file: h5py.File, name: str, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Return a dataset of this name, shape and kind ("float" or "integer"). Raises ValueError, naming the file."""
    try:
        found = data_of(file, name)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if found.shape != shape:
        raise ValueError(f"{path}: /{name}: found shape {found.shape}, wanted {shape}")
    if found.dtype.kind not in ("f" if kind == "float" else "iu"):
        raise ValueError(f"{path}: /{name}: found {found.dtype}, wanted {kind}s")
    return found.read((0,) * len(shape), shape)
