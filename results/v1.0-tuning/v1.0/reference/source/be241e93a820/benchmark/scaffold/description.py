"""Read what a sample's file says about itself, and compare it with the file's name, place and datasets."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from h5py import h5a

from benchmark.hdf5 import opened
from benchmark.hdf5_facts import Data, attributes, data_of, value_of

TEXTS, COUNTS = ("problem", "split", "digest"), "class_counts"  # attributes
MOST_CLASSES = 256  # labels are bytes


@dataclass(frozen=True)
class Header:
    """The header of a sample's file."""

    problem: str  # Problem.digest()
    split: str
    sample: int
    side: int
    brick: int
    digest: str  # sum of the bricks' sha256, 64 hexadecimal digits
    class_counts: tuple[int, ...]  # voxels, background first


class Described(NamedTuple):
    """An open file's sample, the side of its volume and of its bricks, and its datasets."""

    split: str
    sample: int
    side: int
    brick: int
    volume: Data
    label: Data
    bricks: Data


def read_header(path: Path) -> Header:
    """Return the header of a finished file. Raises ValueError, naming the file, for any other file."""
    with opened(path) as file:
        found = described(path, file)
        problem, digest, counts = values(path, file, ("problem", "digest", COUNTS))
    return Header(problem, *found[:4], digest, tuple(int(c) for c in counts))


def described(path: Path, file: h5py.File) -> Described:
    """Return the description of an open file. Raises ValueError, naming the file, where its attributes do not agree
    with its place, or its datasets with its attributes."""
    if not h5a.exists(file.id, b"digest"):
        raise ValueError(f"{path}: unfinished: the file has no digest")
    split, *numbers = values(path, file, ("split", "sample", "side", "brick"))
    sample, side, brick = map(int, numbers)
    if (split, f"{sample:05d}.h5") != (path.parent.name, path.name):
        raise ValueError(f"{path}: holds sample {sample} of {split}: the file was moved or renamed")
    arrays = [data_of(file, name) for name in ("volume", "label")]
    for name, data in zip(("volume", "label"), arrays, strict=True):
        if (data.shape, data.chunks) != ((side,) * 3, (brick,) * 3) or side % brick:
            found = f"{data.shape} in bricks of {data.chunks}"
            raise ValueError(f"{path}: found a {name} of {found}, wanted {side}^3 in {brick}^3")
        if data.dtype != np.uint8:
            raise ValueError(f"{path}: found a {name} of {data.dtype}, wanted bytes")
    layers = side // brick
    wanted, bricks = (layers, layers, layers, 32), data_of(file, "bricks")
    if bricks.shape != wanted or bricks.dtype != np.uint8 or bricks.chunks:
        found = f"{bricks.dtype} {bricks.shape}{f' in chunks of {bricks.chunks}' if bricks.chunks else ''}"
        raise ValueError(f"{path}: bricks: found {found}, wanted uint8 {wanted}, a sha256 a brick, as they are")
    return Described(split, sample, side, brick, *arrays, bricks)


def values(path: Path, file: h5py.File, names: tuple[str, ...]) -> list[Any]:
    """Return attributes of an open file. Raises ValueError, naming the file, for one of the wrong type or size."""
    found = attributes(path, file, names)
    sizes = {name: attribute.shape for name, attribute in found.items()}
    if any(len(shape or ()) != 1 if name == COUNTS else shape != () for name, shape in sizes.items()):
        raise ValueError(f"{path}: found attributes of shapes {sizes}, wanted single values, and a list of {COUNTS}")
    if COUNTS in sizes and sizes[COUNTS][0] > MOST_CLASSES:
        raise ValueError(f"{path}: found {sizes[COUNTS][0]} {COUNTS}, wanted at most {MOST_CLASSES}")
    read = {name: value_of(attribute) for name, attribute in found.items()}
    for name in read.keys() & set(TEXTS):
        if not isinstance(read[name], bytes):
            raise ValueError(f"{path}: {name}: found {read[name]!r:.80}, wanted text")
        read[name] = read[name].decode("utf-8", "surrogateescape")
    return list(read.values())
