"""What a sample's file says about itself, held against what the file is."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
from h5py import h5a

from benchmark.hdf5 import opened
from benchmark.hdf5_facts import Data, attributes, data_of, value_of

TEXTS, NUMBERS = ("problem", "split", "digest"), ("sample", "side", "brick")  # attributes
MOST_CLASSES = 256  # what a byte tells apart


@dataclass(frozen=True)
class Header:
    """What a file says about itself."""

    problem: str  # Problem.digest()
    split: str
    sample: int
    side: int
    brick: int
    digest: str  # sum of the bricks' sha256, 64 hexadecimal digits
    class_counts: tuple[int, ...]  # voxels, background first


class Described(NamedTuple):
    """An open file's header and datasets."""

    header: Header
    volume: Data
    label: Data
    bricks: Data


def read_header(path: Path) -> Header:
    """What a finished file says about itself. Raises ValueError naming the file otherwise."""
    with opened(path) as file:
        return described(path, file).header


def described(path: Path, file: h5py.File) -> Described:
    """An open file: its header, held against the file's own place, and its datasets, held against the header."""
    header = header_of(path, file)
    if (header.split, f"{header.sample:05d}.h5") != (path.parent.name, path.name):
        raise ValueError(f"{path}: holds sample {header.sample} of {header.split}: the file was moved or renamed")
    arrays = [data_of(file, name) for name in ("volume", "label")]
    for name, data in zip(("volume", "label"), arrays, strict=True):
        shape, brick = data.shape, data.chunks
        if (shape, brick) != ((header.side,) * 3, (header.brick,) * 3) or header.side % header.brick:
            raise ValueError(
                f"{path}: found a {name} of {shape} in bricks of {brick}, wanted {header.side}^3 in {header.brick}^3"
            )
        if data.dtype != np.uint8:
            raise ValueError(f"{path}: found a {name} of {data.dtype}, wanted bytes")
    layers = header.side // header.brick
    wanted, bricks = (layers, layers, layers, 32), data_of(file, "bricks")
    if bricks.shape != wanted or bricks.dtype != np.uint8 or bricks.chunks:
        found = f"{bricks.dtype} {bricks.shape}{f' in chunks of {bricks.chunks}' if bricks.chunks else ''}"
        raise ValueError(f"{path}: bricks: found {found}, wanted uint8 {wanted}, a sha256 a brick, as they are")
    return Described(header, *arrays, bricks)


def header_of(path: Path, file: h5py.File) -> Header:
    """The attributes of an open file, each of the kind and size that it should have."""
    if not h5a.exists(file.id, b"digest"):
        raise ValueError(f"{path}: unfinished: the file has no digest")
    found = attributes(file, (*TEXTS, *NUMBERS, "class_counts"))
    sizes = {name: attribute.shape for name, attribute in found.items()}
    if any(sizes[name] != () for name in (*TEXTS, *NUMBERS)) or len(sizes["class_counts"] or ()) != 1:
        raise ValueError(
            f"{path}: found attributes of shapes {sizes}, wanted single values, and a list of class_counts"
        )
    if sizes["class_counts"][0] > MOST_CLASSES:
        raise ValueError(f"{path}: found {sizes['class_counts'][0]} class_counts, wanted at most {MOST_CLASSES}")
    a = {name: value_of(attribute) for name, attribute in found.items()}
    for name in TEXTS:
        if type(a[name]) is not str:
            raise ValueError(f"{path}: {name}: found {a[name]!r:.80}, wanted text")
    counts = tuple(int(c) for c in a["class_counts"])
    return Header(*(a[name] for name in ("problem", "split")), *(int(a[name]) for name in NUMBERS), a["digest"], counts)
